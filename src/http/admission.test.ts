import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { fastify } from 'fastify'
import { hangDoor } from './door.ts'

const SLOW_MS = 1

const app = fastify()
app.decorateRequest('door', 'none')
hangDoor(
  app,
  {
    name: 'slow',
    prefix: '/slow',
    routes: (inside) => {
      inside.get('/work', (_, reply) => {
        for (const until = performance.now() + SLOW_MS; performance.now() < until; );
        return reply.send('done')
      })
      inside.get('/always', { config: { neverShed: true } }, (_, reply) => reply.send('alive'))
    },
    answer: (problem, _, reply) => reply.headers(problem.headers).code(problem.status).send(problem.code),
  },
  30 * SLOW_MS,
)
await app.listen({ port: 0, host: '127.0.0.1' })
after(() => app.close())

test('503 for who lay in the socket for too long, but never where an operator looks; the next turn is as good as any', async () => {
  const sockets = await Promise.all(Array.from({ length: 70 }, open))
  // All of them lie there when the loop comes to look.
  const [first, ...others] = sockets.map((socket, position) => {
    const isLast = position === sockets.length - 1
    socket.write(`GET /slow/${isLast ? 'always' : 'work'} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    return once(socket, 'data').then(([text]) => String(text))
  })
  const answers = await Promise.all([first, ...others])
  for (const socket of sockets) socket.destroy()
  const statuses = answers.map((answer) => answer?.slice(9, 12))
  assert.equal(statuses[0], '200', statuses.join(' '))
  assert.equal(statuses.at(-1), '200', statuses.join(' '))
  assert.equal(statuses.at(-2), '503', statuses.join(' '))
  assert.match(answers.at(-2) ?? '', /\r\nretry-after: [123]\r\n/i)
  assert.equal((await app.inject('/slow/work')).statusCode, 200)
})

async function open(): Promise<Socket> {
  const address = app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const socket = connect({ port: address.port, host: '127.0.0.1' })
  // Connections are accepted one in a turn, so the first request of each would be alone in its own.
  socket.write(`GET /slow/always HTTP/1.1\r\nhost: localhost\r\n\r\n`)
  await once(socket, 'data')
  return socket
}
