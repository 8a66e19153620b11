import { button, form } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { clientPage } from './client-layout.ts'
import { beginAgain } from './start-view.ts'

/** The answer is behind the #, and only the browser has it. Our script fills it in; without it, people can. */
export function fragmentPage(): Markup {
  return clientPage(
    'The answer is in the fragment',
    html`<section class="card narrow">
<h1>The answer is in the fragment</h1>
<p>It stands behind the # of the address. Browsers keep that part to themselves: no server sees it, and neither did this one. A script of the page has to read it.</p>
${form(
  '/demo/client/fragment',
  {},
  html`<div class="field"><label for="fragment">What stands behind the #</label>
<textarea id="fragment" name="fragment" rows="8" required data-fragment autocapitalize="none" spellcheck="false" aria-describedby="fragment-hint"></textarea>
<div class="hint" id="fragment-hint">The script of this page fills it in and takes it out of the address. Without JavaScript, copy it from there.</div></div>
<div class="actions">${button('Look at the answer')}${beginAgain()}</div>`,
)}
</section>`,
  )
}
