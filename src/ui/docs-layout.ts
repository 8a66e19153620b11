import { type Content, html, type Markup } from './html.ts'
import { documentWith } from './layout.ts'

export type DocsLink = { href: string; text: string }

export type DocsSection = { title: string; pages: readonly DocsLink[] }

/** What stands around every page of the documentation. */
export type DocsFrame = {
  sections: readonly DocsSection[]
  /** The address of the page itself, to mark it; null for one that is not listed. */
  current: string | null
  /** The same page as Markdown, where there is one. */
  twin: string | null
  /** What was looked for, on the page of what was found. */
  sought?: string
}

/** Three columns where there is room for them: all pages, the page, and what is on it. On a phone the first is a list to open. */
export function docsPage(title: string, frame: DocsFrame, content: Content, onThisPage: Content = null): Markup {
  return documentWith(
    title,
    html`<a class="unseen skip" href="#content">Skip to the content</a>
<header class="bar docs-bar">
<a class="brand" href="/docs">Handover <span>Documentation</span></a>
<form class="find" role="search" action="/docs/search" method="get">
<label class="unseen" for="sought">Search the documentation</label>
<input id="sought" name="q" type="search" value="${frame.sought ?? ''}" maxlength="100" placeholder="Search" autocomplete="off">
<button class="quiet">Search</button>
</form>
<a class="docs-portal" href="/portal">Portal</a>
</header>
<div class="docs">
<div class="docs-side">
<details class="docs-menu"><summary>All pages</summary>${navigation(frame, 'All pages, to open')}</details>
<div class="docs-list">${navigation(frame, 'All pages')}</div>
</div>
<main class="docs-main${onThisPage === null && html` docs-wide`}" id="content">
${content}
</main>
${onThisPage}
</div>`,
    html`<link rel="stylesheet" href="/public/docs.css">
${
  frame.twin !== null &&
  html`<link rel="alternate" type="text/markdown" href="${frame.twin}">
`
}`,
  )
}

function navigation({ sections, current }: DocsFrame, label: string): Markup {
  return html`<nav aria-label="${label}">
${sections.map(
  ({ title, pages }) => html`<p class="docs-section">${title}</p>
<ul>
${pages.map(
  ({ href, text }) => html`<li><a href="${href}"${href === current && html` aria-current="page"`}>${text}</a></li>
`,
)}</ul>
`,
)}</nav>
`
}
