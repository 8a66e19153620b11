import { html, type Markup } from './html.ts'
import { page } from './layout.ts'

export type ShownError = { title: string; detail: string; code: string }

/** What went wrong, and the request id that support asks for. */
export function errorPage(error: ShownError, requestId: string): Markup {
  return page(error.title, errorContent(error, requestId))
}

export function errorContent(error: ShownError, requestId: string): Markup {
  return html`<h1>${error.title}</h1>
<p>${error.detail}</p>
<dl class="facts">
<dt>Code</dt><dd><code>${error.code}</code></dd>
<dt>Request</dt><dd><code>${requestId}</code></dd>
</dl>`
}
