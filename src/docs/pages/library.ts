import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DocsLink, DocsSection } from '../../ui/docs-layout.ts'
import { CONTENTS, PAGE_PATHS } from './contents.ts'
import { type Page, readPage } from './page.ts'

/** The pages as they stood in the files at one moment. */
export type Library = {
  /** In the order of the contents. */
  pages: readonly Page[]
  sections: readonly DocsSection[]
  page: (path: string) => Page | null
  previousAndNext: (path: string) => { previous: DocsLink | null; next: DocsLink | null }
}

/** How long a writer waits at most to see what was written. */
const LOOKED_MS = 500

/**
 * Read when the first visitor comes, and then kept. In demo mode the files are looked at again, so that whoever writes sees the
 * page; what has not changed is the same library as before.
 */
export function openLibrary(folder: string, { fresh }: { fresh: boolean }): () => Library {
  let sources = ''
  let library: Library | null = null
  let lookedAt = -Infinity
  return () => {
    if (library !== null && (!fresh || performance.now() - lookedAt < LOOKED_MS)) return library
    const found = readSources(folder)
    lookedAt = performance.now()
    const now = JSON.stringify([...found])
    if (library === null || now !== sources) library = libraryOf(found)
    sources = now
    return library
  }
}

function libraryOf(sources: ReadonlyMap<string, string>): Library {
  const pages = [...sources].map(([path, source]) => readPage(path, source))
  const page = (path: string) => pages.find((each) => each.path === path) ?? null
  return {
    pages,
    page,
    sections: CONTENTS.map(({ title, pages: paths }) => ({
      title,
      pages: paths.flatMap((path) => page(path) ?? []).map(linkTo),
    })).filter((section) => section.pages.length > 0),
    previousAndNext: (path) => {
      const position = pages.findIndex((each) => each.path === path)
      const [previous, next] = [pages[position - 1], pages[position + 1]]
      return { previous: previous ? linkTo(previous) : null, next: next ? linkTo(next) : null }
    },
  }
}

function linkTo({ path, title }: Page): DocsLink {
  return { href: `/docs/${path}`, text: title }
}

/** A file that is not there is no page: whoever installs the service without its documentation still has the service. */
function readSources(folder: string): Map<string, string> {
  return new Map(
    PAGE_PATHS.flatMap((path): Array<[string, string]> => {
      const source = readIfThere(join(folder, 'pages', `${path}.md`))
      return source === null ? [] : [[path, source]]
    }),
  )
}

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
