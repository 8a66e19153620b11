import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startDeployed } from '../harness/deployed.ts'
import { withRoutes } from '../harness/route-list.ts'

// The service as operators run it, behind https: what every single address says to a browser and to whoever looks around.

const { started: service, paths } = await withRoutes(() => startDeployed())
after(service.stop)

/** The same for everybody who asks, so that anybody may keep it; nothing else is kept anywhere. */
const FOR_EVERYBODY = /^\/(?:docs|public\/|(?:platform\/v1\/)?openapi\.json$|llms|oidc\/\.well-known\/)/

async function ask(method: string, path: string) {
  const target = path.replaceAll(/:[A-Za-z]+/g, 'x').replace('*', 'x')
  const answer = await fetch(service.url + target, { method, redirect: 'manual' })
  const text = await answer.text()
  return { name: `${method} ${path}`, path, status: answer.status, headers: answer.headers, text }
}
const answers: Array<Awaited<ReturnType<typeof ask>>> = []
for (const path of paths)
  answers.push(...(await Promise.all(['GET', 'POST', 'OPTIONS'].map((method) => ask(method, path)))))

test('every address there is: only https from now on, for a year and all below, and nothing that a browser might take for something else', () => {
  assert.ok(paths.length > 100, `${paths.length} paths`)
  for (const { name, headers, status } of answers) {
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains', name)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', name)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', name)
    const policy = headers.get('content-security-policy') ?? ''
    for (const directive of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(directive), `${name}: ${policy}`)
    assert.doesNotMatch(policy, /unsafe-|object-src|frame-src/, name)
    assert.ok(status < 500, `${name}: ${status}`)
  }
})

test('every body says what it is, and text in which encoding', () => {
  for (const { name, headers, text } of answers) {
    if (text === '') continue
    const type = headers.get('content-type') ?? ''
    assert.match(
      type,
      /^(?:text\/\w+; charset=utf-8|application\/(?:problem\+)?json(?:; charset=utf-8)?|image\/[\w+-]+(?:; charset=utf-8)?)$/i,
      name,
    )
    if (type.includes('json')) assert.doesNotThrow(() => JSON.parse(text), name)
    if (type.startsWith('text/html')) assert.match(text, /^<!doctype html>/i, name)
  }
})

test('nothing is kept by anybody, but what is the same for everybody', () => {
  for (const { name, path, headers } of answers) {
    const kept = headers.get('cache-control') ?? ''
    if (kept !== 'no-store') assert.match(path, FOR_EVERYBODY, `${name}: ${kept}`)
    if (!FOR_EVERYBODY.test(path)) assert.equal(kept, 'no-store', name)
  }
})

test('every cookie is this host’s alone, for https, and not for scripts', () => {
  const cookies = answers.flatMap(({ headers }) => headers.getSetCookie())
  assert.ok(cookies.length > 10, `${cookies.length} cookies`)
  for (const line of cookies)
    assert.match(line, /^__Host-[\w-]+=[\w-]*; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/)
})

test('no answer allows another origin to read it, but what is for everybody', () => {
  for (const { name, path, headers } of answers) {
    const allowed = headers.get('access-control-allow-origin')
    if (allowed !== null) assert.match(path, FOR_EVERYBODY, `${name}: ${allowed}`)
    assert.equal(headers.get('access-control-allow-credentials'), null, name)
  }
})

test('TRACE and TRACK are not answered with what was sent', async () => {
  const { port } = new URL(service.url)
  for (const method of ['TRACE', 'TRACK', 'CONNECT']) {
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      socket.on('close', () => resolve(text)).on('error', () => {})
      socket.end(
        `${method} /healthz HTTP/1.1\r\nHost: id.example.com\r\nX-Secret: hunter2\r\nConnection: close\r\n\r\n`,
      )
    })
    assert.doesNotMatch(answer, /hunter2|^HTTP\/1\.1 2/, method)
  }
})

test('what is for newcomers and developers is not there: seeded data, the mailbox, the demo’s application and receiver', async () => {
  assert.deepEqual(
    paths.filter((path) => path.includes('demo')),
    [],
  )
  for (const path of [
    '/demo',
    '/demo/mailbox',
    '/demo/client',
    '/.git/HEAD',
    '/package.json',
    '/src/main.ts',
    '/metrics',
    '/public/',
  ]) {
    const answer = await fetch(service.url + path)
    assert.equal(answer.status, 404, path)
    await answer.text()
  }
})

test('there are no accounts, keys or applications that nobody made', async () => {
  const { db } = service.database
  for (const table of ['users', 'integrators', 'staff', 'applications', 'platform_keys', 'teams', 'facilities'])
    assert.equal((await db`select 1 from ${db(table)}`).length, 0, table)
})
