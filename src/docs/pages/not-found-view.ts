import { type DocsFrame, docsPage } from '../../ui/docs-layout.ts'
import { errorContent, type ShownError } from '../../ui/error-page.ts'
import { html, type Markup } from '../../ui/html.ts'

/** An error, the pages that may have been meant, and all the others beside it. */
export function docsErrorView(error: ShownError, requestId: string, asked: string, frame: DocsFrame): Markup {
  const meant = pagesLike(asked, frame)
  return docsPage(
    error.title,
    frame,
    html`${errorContent(error, requestId)}
${
  meant.length > 0 &&
  html`<h2>Perhaps you look for</h2>
<ul>
${meant.map(
  ({ href, text }) => html`<li><a href="${href}">${text}</a></li>
`,
)}</ul>
`
}<p class="actions"><a class="button quiet" href="/docs">All pages</a></p>`,
  )
}

/** Those with one of the words of the address that was asked for in their own. */
function pagesLike(asked: string, { sections }: DocsFrame): Array<{ href: string; text: string }> {
  const words = wordsOf(asked)
  return sections.flatMap(({ pages }) => pages.filter(({ href }) => wordsOf(href).some((word) => words.includes(word))))
}

function wordsOf(address: string): string[] {
  return address
    .replace(/^\/docs\b/, '')
    .replace(/[?#].*$/, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$|md$/, ''))
    .filter((word) => word.length > 2 && word.length < 40)
}
