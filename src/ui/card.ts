import { type Content, html, type Markup } from './html.ts'

/** A part of a page with a heading of its own. */
export function card(id: string, title: Content, content: Content, aside: Content = null): Markup {
  return html`<section class="card" aria-labelledby="${id}">
<div class="part-head"><h2 id="${id}">${title}</h2>${aside}</div>
${content}
</section>
`
}
