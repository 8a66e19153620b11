import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Door } from '../http/door.ts'
import { sendPage } from '../http/page.ts'
import { notFound } from '../http/problem.ts'
import { queryOf } from '../http/query.ts'
import { type Keeping, keeping, sendKeptPage, sendKeptText } from './kept.ts'
import { PAGE_PATHS } from './pages/contents.ts'
import { frameOf } from './pages/frame.ts'
import { type Library, openLibrary, readIfThere } from './pages/library.ts'
import { llmsFullText, llmsText } from './pages/llms.ts'
import { docsErrorView } from './pages/not-found-view.ts'
import { type Generated, pageView } from './pages/page-view.ts'
import { startView } from './pages/start-view.ts'
import { passagesOfApi } from './reference/passages.ts'
import { referenceView } from './reference/reference-view.ts'
import { type Passage, passagesOf } from './search/passage.ts'
import { search } from './search/search.ts'
import { searchView } from './search/search-view.ts'

export type DocsParts = {
  /** Where the files are. */
  folder: string
  /** Whether they are looked at again and again, for whoever writes them. */
  fresh: boolean
  baseUrl: string
  /** OpenAPI documents, made when somebody wants to read them. */
  publicApi: () => object
  platformApi: () => object
}

const LONGEST_SOUGHT = 100
const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'

/** The documentation: the door under `/docs`, and the two files for programs that are looked for at the root. */
export function docs(parts: DocsParts): { door: Door; atTheRoot: (app: FastifyInstance) => void } {
  const library = openLibrary(parts.folder, parts)
  const once = keeping<Library>()
  return {
    door: {
      name: 'docs',
      prefix: '/docs',
      routes: (app) => routes(app, parts, library, once),
      answer: (problem, request, reply) => {
        const asked = problem.status === 404 ? request.url : ''
        const meant = withoutSlash(asked)
        if (meant !== null) return reply.redirect(meant, 308)
        const view = docsErrorView(problem, request.id, asked, frameOf(library(), null))
        return sendPage(reply.headers(problem.headers), problem.status, view)
      },
    },
    atTheRoot: (app) => {
      for (const [path, text] of [
        ['/llms.txt', llmsText],
        ['/llms-full.txt', llmsFullText],
      ] as const)
        app.get(path, (request, reply) =>
          sendKeptText(
            request,
            reply,
            once(library(), path, (from) => text(from, parts.baseUrl)),
            PLAIN,
          ),
        )
    },
  }
}

/** Typed by hand, the address of a page often ends in a slash. */
function withoutSlash(url: string): string | null {
  const meant = ['', ...PAGE_PATHS.map((path) => `/${path}`)].find((path) => url === `/docs${path}/`)
  return meant === undefined ? null : `/docs${meant}`
}

/** Every address is hung by name, so nothing but the pages can be asked for. */
function routes(app: FastifyInstance, parts: DocsParts, library: () => Library, once: Keeping<Library>): void {
  app.get('', (request, reply) => sendKeptPage(request, reply, once(library(), '', startView)))
  for (const path of PAGE_PATHS) {
    app.get(`/${path}`, (request, reply) => {
      const view = (from: Library) =>
        pageView(pageIn(from, path), frameOf(from, path), from.previousAndNext(path), generatedFor(path, parts))
      return sendKeptPage(request, reply, once(library(), path, view))
    })
    app.get(`/${path}.md`, (request, reply) => {
      const source = (from: Library) => pageIn(from, path).source
      return sendKeptText(request, reply, once(library(), `${path}.md`, source), MARKDOWN)
    })
  }
  const passages = passagesIn(parts)
  app.get('/search', (request, reply) => {
    const sought = soughtIn(request)
    const from = library()
    return sendPage(reply, 200, searchView(sought, search(passages(from), sought), frameOf(from, null)))
  })
  const vectors = '/vectors/webhook-signatures.json'
  app.get(vectors, (request, reply) =>
    sendKeptText(
      request,
      reply,
      once(library(), vectors, () => readIfThere(join(parts.folder, vectors)) ?? none()),
      'application/json',
    ),
  )
}

/** What stands below the text of two pages: the APIs as their own documents describe them. */
function generatedFor(path: string, { publicApi, platformApi }: DocsParts): Generated | null {
  if (path === 'reference') return referenceView(publicApi(), 'TOKEN')
  return path === 'reference/platform' ? referenceView(platformApi(), 'PLATFORM_KEY') : null
}

function soughtIn(request: FastifyRequest): string {
  const given = new URLSearchParams(queryOf(request)).get('q') ?? ''
  return given
    .replaceAll(/\p{Control}/gu, ' ')
    .trim()
    .slice(0, LONGEST_SOUGHT)
}

/** What can be found: the pages, and the operations of both APIs. Put together for the first who searches. */
function passagesIn({ publicApi, platformApi }: DocsParts): (library: Library) => Passage[] {
  const known = new WeakMap<Library, Passage[]>()
  return (library) => {
    const found = known.get(library) ?? [
      ...library.pages.flatMap(passagesOf),
      ...passagesOfApi(publicApi(), '/docs/reference'),
      ...passagesOfApi(platformApi(), '/docs/reference/platform'),
    ]
    known.set(library, found)
    return found
  }
}

function pageIn(library: Library, path: string) {
  return library.page(path) ?? none()
}

function none(): never {
  throw notFound()
}
