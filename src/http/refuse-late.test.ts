import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import type { Door } from './door.ts'
import { refuseLate, writtenAhead } from './refuse-late.ts'

const SLOW_MS = 1

const door: Door = {
  name: 'busy',
  prefix: '/busy',
  routes: () => {},
  answer: () => {},
  quickRefusals: [
    {
      addresses: new Set(['/busy/tokens']),
      headers: { 'content-type': 'application/json' },
      body: (id) => `{"é":"${id}"}`,
    },
  ],
}
const refusedAt: string[] = []
const refuse = refuseLate([door], { https: true, longestWaitMs: 30 * SLOW_MS, refused: (name) => refusedAt.push(name) })
const server = createServer((request, response) => {
  if (refuse(request, response)) return
  for (const until = performance.now() + SLOW_MS; performance.now() < until; );
  response.end('done')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

test('503 at once where the door has words for it, and elsewhere the door itself finds them', async () => {
  const sockets = await Promise.all(Array.from({ length: 70 }, open))
  const answers = await Promise.all(
    sockets.map((socket, position) => ask(socket, position < 69 ? '/busy/tokens?a=b' : '/busy/page')),
  )
  for (const socket of sockets) socket.destroy()
  assert.match(answers[0] ?? '', /^HTTP\/1.1 200 /)
  const late = answers[68] ?? ''
  assert.match(late, /^HTTP\/1.1 503 /)
  assert.match(late, /\r\nretry-after: [123]\r\n/i)
  assert.match(late, /\r\nx-request-id: req_/i)
  assert.match(late, /\r\nx-content-type-options: nosniff\r\n/i)
  assert.match(late, /\r\nstrict-transport-security: /i)
  assert.match(late, /\r\nconnection: keep-alive\r\n/i)
  const [, id = ''] = /\r\nx-request-id: (\S+)/i.exec(late) ?? []
  assert.ok(late.endsWith(`{"é":"${id}"}`), late)
  assert.match(answers[69] ?? '', /^HTTP\/1.1 200 /)
  assert.equal(refusedAt.length, answers.filter((answer) => answer.startsWith('HTTP/1.1 503')).length)
})

test('what is written ahead is what would have been written, but for the work', () => {
  let written = 0
  const answer = (id: string) => {
    written += 1
    return JSON.stringify({ title: 'Too busy', requestId: id, again: `ask for ${id}` })
  }
  const ahead = writtenAhead(answer)
  const answers = ['req_1', 'a.proxy-has_named.it'].map(ahead)
  assert.equal(written, 1)
  assert.deepEqual(answers, ['req_1', 'a.proxy-has_named.it'].map(answer))
})

async function ask(socket: Socket, path: string): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  const [text] = await once(socket, 'data')
  return String(text)
}

async function open(): Promise<Socket> {
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const socket = connect({ port: address.port, host: '127.0.0.1' })
  // Connections are accepted one in a turn, so the first request of each would be alone in its own.
  await ask(socket, '/first')
  return socket
}
