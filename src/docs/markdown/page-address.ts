import { posix } from 'node:path'

/** Where a link of a page leads on the site; or that it leads to a file that only the repository has. */
export type Destination = { kind: 'address'; href: string } | { kind: 'file'; path: string }

/** Files of the repository, from `docs/`, that the service gives out itself. */
const GIVEN_OUT: Record<string, string> = {
  'openapi.json': '/openapi.json',
  'platform-openapi.json': '/platform/v1/openapi.json',
  'vectors/webhook-signatures.json': '/docs/vectors/webhook-signatures.json',
}

/** Links are written so that they work in the repository: from file to file. `path` is that of the page they stand in. */
export function destinationOf(href: string, path: string): Destination {
  if (/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(href)) return { kind: 'address', href }
  const [file = '', fragment] = href.split('#')
  const anchor = fragment === undefined ? '' : `#${fragment}`
  const target = posix.join('pages', posix.dirname(path), file)
  const given = GIVEN_OUT[target]
  if (given !== undefined) return { kind: 'address', href: given }
  const page = /^pages\/(.+)\.md$/.exec(target)?.[1]
  if (page !== undefined) return { kind: 'address', href: `/docs/${page}${anchor}` }
  return { kind: 'file', path: posix.join('docs', target) }
}
