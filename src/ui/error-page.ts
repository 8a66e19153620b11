import { html, type Markup } from './html.ts'
import { page } from './layout.ts'

/** What went wrong, and the request id that support asks for. */
export function errorPage(error: { title: string; detail: string; code: string }, requestId: string): Markup {
  return page(
    error.title,
    html`<h1>${error.title}</h1>
<p>${error.detail}</p>
<dl class="facts">
<dt>Code</dt><dd><code>${error.code}</code></dd>
<dt>Request</dt><dd><code>${requestId}</code></dd>
</dl>`,
  )
}
