import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { after, test } from 'node:test'
import type { Connection } from '../../src/cli/connection.ts'
import { callService } from '../../src/cli/http-call.ts'
import { readStream } from '../../src/cli/listen/open-stream.ts'

/** A service that answers as a test wants: what the real one says once an hour, it says at once. */
let answer: RequestListener = () => {}
const server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => {
  server.closeAllConnections()
  server.close()
})
const bound = server.address()
assert.ok(typeof bound === 'object' && bound !== null)
const baseUrl = `http://127.0.0.1:${bound.port}`

const nothing = { waiting: () => {}, delivery: () => {} }
const never = new AbortController().signal

function connection(accessToken: Connection['accessToken'] = async () => 'token'): Connection {
  return { baseUrl, clientId: 'app_1', environment: 'sandbox', accessToken }
}

function read(over = connection(), silenceMs = 20_000) {
  return readStream(over, 'laptop', nothing, { silenceMs }, never)
}

test('a token that is about to end is replaced before it does', async () => {
  answer = (_, response) => void response.write('event: waiting\ndata: {"count":0,"tokenExpiresIn":1}\n\n')
  assert.equal(await read(), 'renew')
})

test('a connection that says nothing is lost, and be it without a word', async () => {
  answer = (_, response) => void response.write(': still here\n\n')
  assert.equal(await read(connection(), 50), 'lost')
  answer = () => {}
  assert.equal(await read(connection(), 50), 'lost')
})

test('a token that is refused is replaced once', async () => {
  const seen: Array<string | undefined> = []
  answer = (request, response) => {
    seen.push(request.headers.authorization)
    if (seen.length === 1) response.writeHead(401).end()
    else response.end('event: replaced\ndata: {}\n\n')
  }
  assert.equal(await read(connection(async (refused) => (refused === 'old' ? 'new' : 'old'))), 'replaced')
  assert.deepEqual(seen, ['Bearer old', 'Bearer new'])
})

test('each has a connection of its own: what waits in one that died cannot arrive later and take over', async () => {
  const ports: Array<number | undefined> = []
  answer = (request, response) => {
    ports.push(request.socket.remotePort)
    if (request.url === '/') response.end('{}')
    else response.end('event: stopping\ndata: {}\n\n')
  }
  for (const ask of [() => callService(baseUrl, { method: 'GET', path: '/' }), () => read(), () => read()]) await ask()
  assert.equal(new Set(ports).size, 3)
})

test('a stream that ends, breaks off or is answered by another program is told apart', async () => {
  answer = (_, response) => void response.end('event: waiting\ndata: {"count":0}\n\n')
  assert.equal(await read(), 'lost')
  answer = (_, response) => void response.destroy()
  assert.equal(await read(), 'lost')
  answer = (_, response) => void response.writeHead(404).end('<h1>nginx</h1>')
  await assert.rejects(read(), /answered 404, which this service does not/)
  answer = (_, response) => void response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
  await assert.rejects(read(), /answered 302/)
})
