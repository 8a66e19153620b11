import { docsPage } from '../../ui/docs-layout.ts'
import { html, type Markup } from '../../ui/html.ts'
import { inlineView } from '../markdown/markdown-view.ts'
import { CONTENTS } from './contents.ts'
import { frameOf } from './frame.ts'
import type { Library } from './library.ts'

/** The first page: every section with what its pages are about. */
export function startView(library: Library): Markup {
  return docsPage(
    'Documentation',
    frameOf(library, null),
    html`<h1>Documentation</h1>
<p class="lead">Sign people in, get tokens, and be told what happens to shifts and facilities.</p>
<div class="docs-start">
${CONTENTS.filter(({ pages }) => pages.some((path) => library.page(path) !== null)).map(
  ({ title, pages }, position) => html`<section class="card" aria-labelledby="section-${position}">
<h2 id="section-${position}">${title}</h2>
<dl>
${pages.map((path) => described(library, path))}</dl>
</section>
`,
)}</div>
<p class="docs-twin">For programs: <a href="/llms.txt">llms.txt</a> and <a href="/openapi.json">openapi.json</a>. Every page is there as Markdown too: add <code>.md</code> to its address.</p>`,
  )
}

function described(library: Library, path: string): Markup | null {
  const page = library.page(path)
  if (page === null) return null
  return html`<dt><a href="/docs/${path}">${page.title}</a></dt><dd>${inlineView(page.description, path)}</dd>
`
}
