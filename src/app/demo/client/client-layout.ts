import { type Content, html, type Markup } from '../../../ui/html.ts'
import { documentWith } from '../../../ui/layout.ts'

/** Its pages are an application's, not the identity server's, and say so in the bar. */
export function clientPage(title: string, content: Content): Markup {
  return documentWith(
    title,
    html`<header class="bar portal-bar"><a class="brand" href="/demo/client">Handover <span>Demo client</span></a>
<div class="bar-end"><a href="/">Back to the service</a></div></header>
<main class="desk">
${content}
</main>`,
  )
}
