import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request } from 'node:http'
import { after, test } from 'node:test'
import { startHandover } from '../harness/handover.ts'

const service = await startHandover()
after(service.stop)

const styles: Array<[string, string, string]> = [
  ['/oidc/nothing', 'application/json', 'the identity server answers programs in JSON'],
  ['/api/v2/public/nothing', 'application/problem+json', 'the public API answers with a problem'],
  ['/platform/v1/nothing', 'application/problem+json', 'the platform API answers with a problem'],
  ['/portal/nothing', 'text/html', 'the portal answers with a page'],
  ['/support/nothing', 'text/html', 'the support console answers with a page'],
  ['/docs/nothing', 'text/html', 'the documentation answers with a page'],
  ['/nothing', 'text/html', 'outside every door there is a page'],
]
for (const [path, type, title] of styles) {
  test(`404 ${path}: ${title}`, async () => {
    const answer = await fetch(service.url + path)
    assert.equal(answer.status, 404)
    assert.equal(answer.headers.get('content-type')?.split(';')[0], type)
    await answer.text()
  })

  test(`400 ${path}%zz: a path that cannot be decoded is answered in the same style`, async () => {
    const answer = await raw(`${path}%zz`)
    assert.equal(answer.status, 400)
    assert.equal(answer.headers['content-type']?.split(';')[0], type)
  })
}

test('404 /oidc/nothing in a browser is a page', async () => {
  const answer = await fetch(`${service.url}/oidc/nothing`, { headers: { accept: 'text/html,*/*' } })
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(await answer.text(), /There is nothing at this address/)
})

test('a problem has every member that decision C2 names', async () => {
  const answer = await fetch(`${service.url}/api/v2/public/nothing`)
  assert.deepEqual(await answer.json(), {
    type: `${service.url}/docs/errors#not_found`,
    title: 'Not found',
    status: 404,
    detail: 'There is nothing at this address.',
    code: 'not_found',
    requestId: answer.headers.get('x-request-id'),
  })
})

test('405 with Allow for a known path and another method', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const answer = await fetch(`${service.url}/healthz`, { method })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'GET, HEAD')
    await answer.text()
  }
})

test('every answer carries the security headers, errors included', async () => {
  for (const path of ['/', '/healthz', '/public/site.css', '/oidc/x', '/api/v2/public/x', '/portal/x', '/x']) {
    const { headers } = await fetch(service.url + path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', path)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/, path)
    assert.equal(headers.get('server'), null, path)
    assert.equal(headers.get('x-powered-by'), null, path)
  }
})

test('the request id goes in and out, and a hostile one is replaced', async () => {
  assert.equal((await raw('/healthz', { 'x-request-id': 'abc.DEF-1_2' })).headers['x-request-id'], 'abc.DEF-1_2')
  for (const hostile of ['a b', 'x'.repeat(129), '"><script>', 'a\tb', '']) {
    const { headers } = await raw('/healthz', { 'x-request-id': hostile })
    assert.match(String(headers['x-request-id']), /^req_[0-9a-f]{32}$/)
  }
})

test('demo mode answers only loopback names', async () => {
  for (const host of ['localhost', 'localhost:4000', '127.0.0.1', '127.8.8.8:1', '[::1]:4000', 'LOCALHOST']) {
    assert.equal((await raw('/healthz', { host })).status, 200, host)
  }
  for (const host of [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '10.0.0.1',
    '[::2]',
    'evil.example:4000',
    '127.evil',
  ]) {
    assert.equal((await raw('/healthz', { host })).status, 421, host)
  }
})

test('demo mode refuses what came through a proxy', async () => {
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']) {
    assert.equal((await raw('/healthz', { [name]: '127.0.0.1' })).status, 403, name)
  }
})

test('a file outside public cannot be asked for', async () => {
  for (const path of [
    '/public/../package.json',
    '/public/%2e%2e/package.json',
    '/public/..%2fpackage.json',
    '/public/.',
    '/public/',
  ]) {
    assert.equal((await raw(path)).status, 404, path)
  }
})

test('the style sheet is revalidated by its ETag', async () => {
  const first = await raw('/public/site.css')
  assert.equal(first.status, 200)
  assert.equal((await raw('/public/site.css', { 'if-none-match': String(first.headers.etag) })).status, 304)
})

test('200 /readyz in the middle of a rolling upgrade: a newer process has migrated, this one goes on', async () => {
  const old = await startHandover()
  try {
    await old.database.db`insert into schema_migrations (number, name, checksum) values (9999, 'from-the-future', 'x')`
    assert.equal((await fetch(`${old.url}/readyz`)).status, 200)
    await old.database.db`delete from schema_migrations where number >= 3`
    assert.equal((await fetch(`${old.url}/readyz`)).status, 503, 'one that is missing is not ready')
  } finally {
    await old.stop()
  }
})

test('503 /readyz when the database does not answer as it should, while /healthz stays 200', async () => {
  const broken = await startHandover()
  try {
    await broken.database.db`alter table schema_migrations rename to gone`
    const answer = await fetch(`${broken.url}/readyz`)
    assert.equal(answer.status, 503)
    assert.deepEqual(await answer.json(), {
      status: 'not ready',
      checks: { database: 'unreachable', migrations: 'unreachable', worker: 'ok' },
    })
    assert.equal((await fetch(`${broken.url}/healthz`)).status, 200)
  } finally {
    await broken.stop()
  }
})

test('metrics are on a port of their own, and nothing else is', async () => {
  const metrics = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)
  assert.match(
    await metrics.text(),
    /handover_http_request_seconds_count\{door="public-api",method="GET",status="404"\} \d+/,
  )
  assert.equal((await fetch(`http://127.0.0.1:${service.metricsPort}/healthz`)).status, 404)
  assert.equal((await fetch(`${service.url}/metrics`)).status, 404)
})

/** As it stands, without the tidying that fetch does. */
function raw(path: string, headers: Record<string, string> = {}) {
  const { port } = new URL(service.url)
  return new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }))
    })
      .on('error', reject)
      .end()
  })
}
