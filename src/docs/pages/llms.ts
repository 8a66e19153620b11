import { plainText } from '../markdown/blocks.ts'
import { CONTENTS } from './contents.ts'
import type { Library } from './library.ts'

const ABOUT = `# Handover

> Identity and webhooks for the partners of a staffing marketplace: an OpenID Connect server, a public API to register webhooks for shift and facility events, and signed delivery of those events.
`

/** What there is to read, for programs that read (llmstxt.org): each page with its sentence, as Markdown. */
export function llmsText(library: Library, baseUrl: string): string {
  const sections = CONTENTS.map(({ title, pages }) => {
    const lines = pages.flatMap((path) => {
      const page = library.page(path)
      if (page === null) return []
      return `- [${page.title}](${baseUrl}/docs/${path}.md): ${plainText(page.description)}`
    })
    return `## ${title}\n\n${lines.join('\n')}\n`
  })
  const machines = `## Machine-readable

- [OpenAPI of the public API](${baseUrl}/openapi.json): every operation, schema and problem code
- [OpenID Connect discovery](${baseUrl}/oidc/.well-known/openid-configuration): addresses and abilities of the identity server
- [Signature vectors](${baseUrl}/docs/vectors/webhook-signatures.json): signed webhooks to test a verifier with
- [Everything in one file](${baseUrl}/llms-full.txt): all pages, one after the other
`
  return [ABOUT, ...sections, machines].join('\n')
}

/** All pages in one file, each under the address of its own. */
export function llmsFullText(library: Library, baseUrl: string): string {
  const pages = library.pages.map(({ path, source }) => `<!-- ${baseUrl}/docs/${path}.md -->\n\n${source.trim()}\n`)
  return [ABOUT, ...pages].join('\n')
}
