import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { PAGE_PATHS } from '../../src/docs/pages/contents.ts'
import { publicApiDocument } from '../../src/public-api/openapi.ts'
import { startHandover } from '../harness/handover.ts'
import { jsonAt, operationsOf } from '../harness/openapi-document.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { hrefsOn, idsOn } from './rendered-links.ts'

const service = await startHandover()
after(service.stop)

const PAGES = ['/docs', ...PAGE_PATHS.map((path) => `/docs/${path}`)]
const pages = new Map(await Promise.all(PAGES.map(async (path) => [path, await asked(path)] as const)))

test('200 for every page of the contents, a page with its own title and no style attribute or inline script', () => {
  for (const [path, { status, text }] of pages) {
    assert.equal(status, 200, path)
    assert.match(text, /<title>[^<]+ · Handover<\/title>/, path)
    assert.doesNotMatch(text, / style=|<script(?! src="\/public\/site\.js")| on\w+="/, path)
  }
})

test('every link on every rendered page leads somewhere: the address answers 200 and has the anchor', async (t) => {
  const outside = new Set<string>()
  const answers = new Map([...pages, ['/docs/search?q=token', await asked('/docs/search?q=token')] as const])
  for (const [path, { text }] of new Map(answers))
    for (const href of hrefsOn(text)) {
      if (/^https?:/.test(href) && !href.startsWith(service.url)) {
        outside.add(href)
        assert.match(href, /^https:/, path)
        continue
      }
      const { pathname, search, hash } = new URL(href, service.url + path)
      const target = pathname + search
      const answer = answers.get(target) ?? (await asked(target))
      answers.set(target, answer)
      assert.ok([200, 303].includes(answer.status), `${path} links ${href}: ${answer.status}`)
      const anchor = decodeURIComponent(hash.slice(1))
      if (anchor !== '') assert.ok(idsOn(answer.text).has(anchor), `${path} links ${href}: no such anchor`)
    }
  for (const address of outside) t.diagnostic(`outside, never dialled: ${address}`)
})

test('the address in the type of every problem explains its code', () => {
  const errors = idsOn(pages.get('/docs/errors')?.text ?? '')
  const codes = Object.keys(jsonAt(publicApiDocument(service.url), 'components', 'examples'))
  assert.ok(codes.length > 20)
  for (const code of codes) assert.ok(errors.has(code), `/docs/errors#${code}`)
})

test('200 /docs/….md: the file as it is, for programs of any origin; its relative links lead to other twins', async () => {
  const { status, text, headers } = await asked('/docs/flows/pkce.md')
  assert.equal(status, 200)
  assert.match(text, /^# /)
  assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.equal(headers.get('access-control-allow-origin'), '*')
  for (const path of PAGE_PATHS) assert.equal((await asked(`/docs/${path}.md`)).status, 200, path)
})

test('200 /llms.txt: the shape of llmstxt.org, and every address in it answers', async () => {
  const { text, headers } = await asked('/llms.txt')
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(text, /^# Handover\n\n> [^\n]+\n\n## /)
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, link = '']) => link)
  assert.ok(links.length > PAGE_PATHS.length)
  for (const link of links) {
    assert.ok(link.startsWith(service.url), link)
    const answer = await fetch(link)
    assert.equal(answer.status, 200, link)
    await answer.text()
  }
  const { text: full } = await asked('/llms-full.txt')
  assert.equal(full.match(/^<!-- http\S+\.md -->$/gm)?.length, PAGE_PATHS.length)
})

test('304 when it is known already; HEAD has the same headers; it may be kept for five minutes', async () => {
  for (const path of [
    '/docs',
    '/docs/tokens',
    '/docs/tokens.md',
    '/llms.txt',
    '/docs/vectors/webhook-signatures.json',
  ]) {
    const { headers } = await asked(path)
    assert.equal(headers.get('cache-control'), 'public, max-age=300', path)
    const etag = String(headers.get('etag'))
    assert.equal((await asked(path, { headers: { 'if-none-match': etag } })).status, 304, path)
    const head = await asked(path, { method: 'HEAD' })
    assert.equal(head.status, 200, path)
    assert.equal(head.headers.get('etag'), etag, path)
    assert.equal(head.text, '')
  }
})

test('308 to the same address without a slash at its end', async () => {
  for (const path of ['/docs', '/docs/flows/pkce']) {
    const { status, headers } = await asked(`${path}/`, { redirect: 'manual' })
    assert.deepEqual([status, headers.get('location')], [308, path])
  }
})

test('405 with Allow for another method', async () => {
  for (const path of ['/docs', '/docs/tokens', '/docs/tokens.md', '/docs/search', '/llms.txt']) {
    const { status, headers } = await asked(path, { method: 'POST' })
    assert.equal(status, 405, path)
    assert.equal(headers.get('allow'), 'GET, HEAD', path)
  }
})

test('404 is a page that is not kept, with the pages that may have been meant', async () => {
  for (const [path, meant] of [
    ['/docs/verify', '/docs/webhooks/verify'],
    ['/docs/webhooks', '/docs/webhooks/retries'],
    ['/docs/Tokens/', '/docs/tokens'],
    ['/docs/flows/pkce.html', '/docs/flows/pkce'],
  ] as const) {
    const { status, text, headers } = await asked(path)
    assert.equal(status, 404, path)
    assertPageHeaders({ url: path, status, headers, text, location: null })
    assert.ok(hrefsOn(text.slice(text.indexOf('<main'))).includes(meant), `${path} does not lead to ${meant}`)
  }
})

test('nothing but the pages can be asked for, however it is written', async () => {
  for (const path of [
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/pages/tokens.md',
    '/docs/decisions/0001-name-and-commands.md',
    '/docs/contract-map.md',
    '/docs/tokens.md%00',
    '/docs/vectors/..%2f..%2fpackage.json',
    '/docs/flows/',
  ])
    assert.equal(await statusOf(path), 404, path)
  assert.equal(await statusOf('/docs/%zz'), 400)
})

test('search finds headings, texts and operations; what was sought is only text', async () => {
  const main = async (sought: string) => {
    const { status, text } = await asked(`/docs/search?${new URLSearchParams({ q: sought }).toString()}`)
    assert.equal(status, 200)
    return text.slice(text.indexOf('<main'), text.indexOf('</main>'))
  }
  assert.match(await main('rotation'), /href="\/docs\/webhooks\/rotation"/)
  assert.match(await main('replay deliveries'), /href="\/docs\/reference#\w+"/)
  assert.match(await main('no such words at all'), /Nothing has all words/)
  assert.doesNotMatch(await main('<script>alert(1)</script>"\0'), /<script>alert|\0/)
  assert.match(await main('x'.repeat(10_000)), /Nothing has all words/)
  assert.match(await main('(.*+?^${}|[\\'), /Nothing has all words/)
  assert.equal((await asked('/docs/search')).status, 200)
  assert.equal((await asked('/docs/search?q=%zz&q=b')).status, 200)
})

test('the reference has every operation with its call, and no page is heavier than 200 kB', async () => {
  const text = pages.get('/docs/reference')?.text ?? ''
  const ids = idsOn(text)
  const operations = operationsOf({ ...publicApiDocument(service.url) })
  assert.ok(operations.length > 30)
  for (const { id, path } of operations) {
    assert.ok(ids.has(id), id)
    assert.ok(text.includes(`<code>${path}</code>`), path)
  }
  for (const [path, page] of pages) assert.ok(page.text.length < 200_000, `${path}: ${page.text.length}`)
})

async function asked(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(service.url + path, { redirect: 'manual', ...init })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** As it is written: fetch would tidy the path. */
function statusOf(path: string): Promise<number> {
  const { port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}
