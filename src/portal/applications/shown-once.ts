import { card } from '../../ui/card.ts'
import { html, type Markup } from '../../ui/html.ts'

/** What is stored as its hash only, and so cannot be shown a second time. */
export function shownOnce(values: ReadonlyArray<[label: string, value: string]>): Markup {
  return card(
    'keep',
    'Keep these now',
    html`<p>Put them where your application finds them and nobody else does: a vault, or the environment of your server. Not into
code. <strong>They are shown only now.</strong></p>
<dl class="facts">${values.map(([label, value]) => html`<dt>${label}</dt><dd><code class="copy" data-copy>${value}</code></dd>`)}</dl>`,
  )
}
