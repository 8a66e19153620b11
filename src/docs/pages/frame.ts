import type { DocsFrame } from '../../ui/docs-layout.ts'
import type { Library } from './library.ts'

/** What stands around the page of that path; null for what is no page of the contents. */
export function frameOf({ sections, page }: Library, path: string | null): DocsFrame {
  const isPage = path !== null && page(path) !== null
  return {
    sections,
    current: isPage ? `/docs/${path}` : null,
    twin: isPage ? `/docs/${path}.md` : null,
  }
}
