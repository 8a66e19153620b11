import { type DocsFrame, type DocsLink, docsPage } from '../../ui/docs-layout.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import { type Heading, headingsOf } from '../markdown/headings.ts'
import { blocksView, inlineView } from '../markdown/markdown-view.ts'
import type { Page } from './page.ts'

export type Neighbours = { previous: DocsLink | null; next: DocsLink | null }

/** What is generated below the text of a page, with its headings. */
export type Generated = { content: Content; headings: readonly Heading[] }

export function pageView(page: Page, frame: DocsFrame, neighbours: Neighbours, generated: Generated | null): Markup {
  const headings = [...headingsOf(page.blocks), ...(generated?.headings ?? [])]
  return docsPage(
    page.title,
    frame,
    html`<article>
<h1>${page.title}</h1>
<p class="lead">${inlineView(page.description, page.path)}</p>
${blocksView(page.blocks, page.path, page.title)}${generated?.content ?? null}</article>
${
  frame.twin !== null &&
  html`<p class="docs-twin"><a href="${frame.twin}">This page as Markdown</a></p>
`
}${neighboursView(neighbours)}`,
    headings.length < 2 ? null : onThisPage(headings),
  )
}

function onThisPage(headings: readonly Heading[]): Markup {
  return html`<nav class="docs-toc" aria-label="On this page">
<p class="docs-section">On this page</p>
<ul>
${headings.map(
  ({ depth, id, text }) => html`<li${depth > 2 && html` class="deeper"`}><a href="#${id}">${text}</a></li>
`,
)}</ul>
</nav>`
}

function neighboursView({ previous, next }: Neighbours): Markup {
  return html`<nav class="docs-next" aria-label="Page by page">
${
  previous !== null &&
  html`<a rel="prev" href="${previous.href}"><small>Before</small> ${previous.text}</a>
`
}${
  next !== null &&
  html`<a rel="next" class="following" href="${next.href}"><small>Next</small> ${next.text}</a>
`
}</nav>`
}
