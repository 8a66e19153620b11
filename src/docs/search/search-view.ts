import { type DocsFrame, docsPage } from '../../ui/docs-layout.ts'
import { type Content, html, type Markup } from '../../ui/html.ts'
import type { Excerpt, Hit } from './search.ts'

export function searchView(sought: string, hits: readonly Hit[], frame: DocsFrame): Markup {
  return docsPage(
    'Search',
    { ...frame, sought },
    html`<h1>Search</h1>
${wordsAbout(sought, hits.length)}
<ol class="hits">
${hits.map(
  ({ href, page, heading, excerpt }) => html`<li><a href="${href}">${heading === '' ? page : `${page}: ${heading}`}</a>
<p>${excerptView(excerpt)}</p></li>
`,
)}</ol>`,
  )
}

function wordsAbout(sought: string, count: number): Markup {
  if (sought === '') return html`<p class="lead">Write what you look for into the field above.</p>`
  if (count > 0) return html`<p class="lead">What the documentation says about “${sought}”.</p>`
  return html`<p class="lead">Nothing has all words of “${sought}”. Try fewer of them.</p>`
}

function excerptView(excerpt: Excerpt): Content {
  return excerpt.map((part, position) => (position % 2 === 0 ? part : html`<mark>${part}</mark>`))
}
