import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { startTokenScene } from '../harness/token-scene.ts'

const LATE_MS = 300
/** More than are taken before anybody can be late, and so many that the last of them are. */
const CROWD = 90
const SLOW_MS = 6

const scene = await startTokenScene({ HANDOVER_LONGEST_WAIT_MS: String(3 * LATE_MS) })
after(scene.service.stop)
const { port, hostname } = new URL(scene.url)

// Every request is read slowly, as on a machine that has too much to do.
let slow = false
subscribe('http.server.request.start', () => {
  const until = performance.now() + (slow ? SLOW_MS : 0)
  while (performance.now() < until);
})

for (const { path, type, policy, body } of [
  {
    path: '/oidc/authorize?client_id=x',
    type: 'text/html; charset=utf-8',
    policy: /script-src 'self'/,
    body: (id: string) => new RegExp(`<h1>Too busy</h1>[^]*<dd><code>${id}</code></dd>[^]*</html>`),
  },
  {
    path: '/api/v2/public/webhooks/user',
    type: 'application/problem+json',
    policy: /^default-src 'none'; frame/,
    body: (id: string) =>
      new RegExp(`"type":"http[^"]+/docs/errors#overloaded".*"code":"overloaded","requestId":"${id}"}$`),
  },
  {
    path: '/oidc/userinfo',
    type: 'application/json; charset=utf-8',
    policy: /^default-src 'none'; frame/,
    body: () => /"error":"temporarily_unavailable"/,
  },
])
  test(`${path}: who is read late in a crowd gets the door’s own answer, whole, with the id of the request`, async () => {
    const sockets = await Promise.all(Array.from({ length: CROWD }, open))
    slow = true
    const answers = await Promise.all(sockets.map((socket) => ask(socket, path)))
    slow = false
    for (const socket of sockets) socket.destroy()
    assert.doesNotMatch(answers[0] ?? '', /^HTTP\/1.1 503/)
    const late = answers.at(-1) ?? ''
    assert.match(late, /^HTTP\/1.1 503 /)
    const header = (name: string) => new RegExp(`\r\n${name}: ([^\r]+)`, 'i').exec(late)?.[1] ?? ''
    assert.equal(header('content-type'), type)
    assert.match(header('content-security-policy'), policy)
    assert.match(header('retry-after'), /^[123]$/)
    assert.equal(header('cache-control'), 'no-store')
    const text = late.slice(late.indexOf('\r\n\r\n') + 4)
    assert.equal(Buffer.byteLength(text), Number(header('content-length')))
    assert.match(text, body(header('x-request-id')))
  })

async function open(): Promise<Socket> {
  const socket = connect({ port: Number(port), host: hostname })
  // Connections are accepted one in a turn, so the first request of each would be alone in its own.
  await ask(socket, '/healthz')
  return socket
}

async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
  const [text] = await once(socket, 'data')
  return String(text)
}
