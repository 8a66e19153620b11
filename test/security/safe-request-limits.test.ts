import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createSafeAgent } from '../../src/platform/safe-request/safe-agent.ts'
import { type SafeRequestOutcome, safeRequest } from '../../src/platform/safe-request/safe-request.ts'
import { PUBLIC, type Receiver, startReceiver } from '../harness/receiver.ts'
import { soon, startWatch } from '../harness/soon.ts'

const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`
const KEEP = 1_024

const agent = createSafeAgent({ permit: (address) => address === PUBLIC, resolve: async () => [PUBLIC] })
const receivers: Receiver[] = []
after(async () => {
  await agent.close()
  for (const receiver of receivers) await receiver.close()
})

/** One that answers byte by byte as it is told, once the request began to come. */
async function raw(answer: (socket: Socket) => void): Promise<Receiver> {
  return started(createTcpServer((socket) => void socket.once('data', () => answer(socket))))
}

async function started(server: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(server)
  receivers.push(receiver)
  return receiver
}

type Asked = { scheme?: string; by?: typeof agent; totalMs?: number; path?: string }

async function ask(receiver: Receiver, { scheme = 'http', by = agent, totalMs = 3_000, path = '/' }: Asked = {}) {
  const url = new URL(`${scheme}://receiver.example:${receiver.port}${path}`)
  const began = performance.now()
  const watch = startWatch()
  const outcome = await safeRequest(by, { url, method: 'POST', headers: {}, body: '{}', totalMs, keepBytes: KEEP })
  // What a pause of the machine takes is no delay of ours.
  return { outcome, tookMs: performance.now() - began, ownMs: watch() }
}

const errorOf = (outcome: SafeRequestOutcome) =>
  outcome.kind === 'failed' ? outcome.error : `status ${outcome.status}`
const closed = (receiver: Receiver) => soon(async () => receiver.open() === 0)

/** Begins, and then writes the same again and again for as long as the other side is there. */
function drip(socket: Socket, start: string, text: string, everyMs: number): void {
  socket.write(start)
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.on('close', () => clearInterval(timer))
}

const timeouts: Array<[string, Asked, (socket: Socket) => void]> = [
  ['a server that says nothing', {}, () => {}],
  ['headers a byte at a time', {}, (socket) => drip(socket, HEAD, 'x', 20)],
  ['a status line a byte at a time', {}, (socket) => drip(socket, 'H', 'T', 700)],
  [
    'one interim answer after the other',
    {},
    (socket) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n', 10),
  ],
  ['a TLS handshake a byte at a time', { scheme: 'https' }, (socket) => drip(socket, '\x16\x03\x03\x40', '\0', 20)],
]
describe('out of time', { concurrency: true }, () => {
  for (const [what, asked, answer] of timeouts)
    test(`${what} is out of time, and its connection is cut`, async () => {
      const receiver = await raw(answer)
      const { outcome, tookMs, ownMs } = await ask(receiver, { ...asked, totalMs: 600 })
      assert.equal(errorOf(outcome), 'timeout')
      assert.ok(tookMs > 590 && ownMs < 2_000, `${tookMs} ms, ${ownMs} ms`)
      assert.match(outcome.kind === 'failed' ? outcome.message : '', /^receiver\.example did not answer within 600 ms$/)
      assert.ok(await closed(receiver), 'still open')
    })
})

test('a name server that says nothing is out of time too', async () => {
  const by = createSafeAgent({ resolve: () => new Promise(() => {}), connectMs: 300 })
  const receiver = await raw(() => {})
  const early = await ask(receiver, { by, totalMs: 100 })
  assert.equal(errorOf(early.outcome), 'timeout')
  assert.ok(early.ownMs < 2_000, `${early.ownMs} ms`)
  assert.equal(errorOf((await ask(receiver, { by })).outcome), 'connect-timeout')
  await by.close()
})

test('connecting has a limit of its own; a host that was reached has the time of the whole for its TLS', async () => {
  const by = createSafeAgent({ permit: () => true, resolve: async () => [PUBLIC], connectMs: 1_500 })
  const receiver = await raw(() => {})
  const { outcome, tookMs, ownMs } = await ask(receiver, { by, scheme: 'https', totalMs: 2_500 })
  assert.equal(errorOf(outcome), 'timeout')
  assert.ok(tookMs > 2_490 && ownMs < 4_000, `${tookMs} ms, ${ownMs} ms`)
  assert.ok(await closed(receiver), 'still open')
  await by.close()
})

test('a body that is dripped does not hold up the answer', async () => {
  const receiver = await raw((socket) => drip(socket, `${CHUNKED}1\r\na\r\n`, '1\r\nb\r\n', 20))
  const { outcome, tookMs, ownMs } = await ask(receiver)
  assert.ok(outcome.kind === 'answered')
  assert.deepEqual([outcome.status, outcome.address], [200, PUBLIC])
  assert.match(outcome.bodyStart.toString(), /^ab+$/)
  assert.ok(ownMs < 2_500, `${ownMs} ms`)
  // Until the headers were in: the second for the body comes after it.
  assert.ok(tookMs - outcome.durationMs > 900, `${tookMs} ms, ${outcome.durationMs} ms`)
  assert.ok(await closed(receiver), 'still open')
})

test('the whole limit counts for the body too', async () => {
  const receiver = await raw((socket) => void socket.write(`${HEAD}content-length: 9\r\n\r\nstart`))
  const { outcome, ownMs } = await ask(receiver, { totalMs: 600 })
  assert.equal(outcome.kind === 'answered' && outcome.bodyStart.toString(), 'start')
  assert.ok(ownMs < 900, `${ownMs} ms`)
})

test('a body without end is cut where we stop reading', async () => {
  let sent = 0
  const receiver = await raw((socket) => {
    const piece = Buffer.alloc(64 * 1024, 'x')
    socket.write(`${HEAD}content-length: 1000000000000\r\n\r\n`)
    const more = () => {
      while (!socket.destroyed && socket.write(piece)) sent += piece.length
    }
    socket.on('drain', more)
    more()
  })
  const { outcome, ownMs } = await ask(receiver)
  assert.ok(outcome.kind === 'answered')
  assert.deepEqual(outcome.bodyStart, Buffer.alloc(KEEP, 'x'))
  assert.equal(outcome.bodyStart.buffer.byteLength <= 64 * 1024, true, 'holds on to more than it shows')
  assert.ok(ownMs < 900, `${ownMs} ms`)
  assert.ok(await closed(receiver), 'still open')
  assert.ok(sent < 16 * 1024 * 1024, `${sent} bytes were taken`)
})

test('a small answer that unpacks to 50 MB stays small', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
  const receiver = await started(
    createServer((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
  )
  const { outcome } = await ask(receiver)
  assert.deepEqual(outcome.kind === 'answered' && outcome.bodyStart, bomb.subarray(0, KEEP))
  assert.ok(await closed(receiver), 'still open')
})

test('headers of 1 MB are refused, of 60 KB taken', async () => {
  const filler = (bytes: number) => `x-filler: ${'y'.repeat(1_000)}\r\n`.repeat(bytes / 1_000)
  const large = await raw((socket) => void socket.write(`${HEAD}${filler(1_000_000)}\r\n`))
  assert.equal(errorOf((await ask(large)).outcome), 'headers-too-large')
  assert.ok(await closed(large), 'still open')
  const single = await raw((socket) => void socket.write(`${HEAD}x: ${'y'.repeat(1_000_000)}`))
  assert.equal(errorOf((await ask(single)).outcome), 'headers-too-large')
  const fine = await raw((socket) => void socket.end(`${HEAD}${filler(60_000)}\r\n`))
  assert.equal(errorOf((await ask(fine)).outcome), 'status 200')
})

test('headers with odd names are headers, and any can come twice', async () => {
  const odd = 'constructor: a\r\n__proto__: b\r\ntostring: c\r\nretry-after: 1\r\nRetry-After: 2\r\n'
  const { outcome } = await ask(await raw((socket) => void socket.end(`${HEAD}${odd}\r\n`)))
  assert.ok(outcome.kind === 'answered')
  assert.deepEqual(Object.entries(outcome.headers), [
    ['constructor', 'a'],
    ['__proto__', 'b'],
    ['tostring', 'c'],
    ['retry-after', ['1', '2']],
  ])
})

const failures: Array<[string, string, (socket: Socket) => void]> = [
  ['reset', 'a reset', (socket) => socket.resetAndDestroy()],
  ['reset', 'an end without an answer', (socket) => socket.end()],
  ['reset', 'an end within the headers', (socket) => socket.end(`${HEAD}content-le`)],
  ['protocol', 'another protocol', (socket) => socket.end('220 mail.example ESMTP\r\n')],
  [
    'protocol',
    'an upgrade that nobody asked for',
    (socket) => socket.end('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  ],
  ['protocol', 'a header with a line break in it', (socket) => socket.end(`${HEAD}a\nb: c\r\n\r\n`)],
  ['protocol', 'two lengths', (socket) => socket.end(`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`)],
  ['status 200', 'a body that is shorter than it says', (socket) => socket.end(`${HEAD}content-length: 9\r\n\r\nabc`)],
  ['status 200', 'a broken chunk', (socket) => socket.end(`${CHUNKED}zz\r\n`)],
  [
    'status 200',
    'a reset within the body',
    (socket) => socket.write(`${CHUNKED}1\r\na\r\n`, () => socket.resetAndDestroy()),
  ],
  ['status 204', 'no body', (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n')],
]
for (const [expected, what, answer] of failures)
  test(`${what}: ${expected}`, async () => {
    const receiver = await raw(answer)
    const { outcome, ownMs } = await ask(receiver, { path: '/secret-path' })
    assert.equal(errorOf(outcome), expected)
    assert.doesNotMatch(outcome.kind === 'failed' ? outcome.message : '', /secret-path/)
    assert.ok(ownMs < 900, `${ownMs} ms`)
    assert.ok(await closed(receiver), 'still open')
  })

test('nobody listens: connect', async () => {
  const receiver = await startReceiver(createTcpServer())
  await receiver.close()
  const { outcome } = await ask(receiver)
  assert.equal(errorOf(outcome), 'connect')
  assert.match(
    outcome.kind === 'failed' ? outcome.message : '',
    /^receiver\.example could not be reached \(ECONNREFUSED\)$/,
  )
})

test('a body of just what is kept leaves the connection for the next request', async () => {
  const receiver = await started(createServer((_, response) => response.end('x'.repeat(KEEP))))
  for (let turn = 0; turn < 3; turn++) {
    const { outcome } = await ask(receiver)
    assert.equal(outcome.kind === 'answered' && outcome.bodyStart.length, KEEP)
  }
  assert.equal(receiver.connections(), 1)
})

test('an agent that is closed leaves nothing behind', async () => {
  const by = createSafeAgent({ permit: () => true, resolve: async () => [PUBLIC] })
  const waiting = await raw(() => {})
  const outcomes = Promise.all([ask(waiting, { by }), ask(waiting, { by, scheme: 'https' })])
  await soon(async () => waiting.open() === 2)
  await by.close()
  for (const { outcome } of await outcomes) assert.equal(errorOf(outcome), 'reset')
  assert.ok(await closed(waiting), 'still open')
})

test('a header that cannot be sent is our own mistake, and thrown', async () => {
  const url = new URL('http://receiver.example/')
  const request = { url, method: 'POST', headers: { a: 'b\r\nc: d' }, body: null, keepBytes: 1 }
  await assert.rejects(safeRequest(agent, request), /invalid a header/)
})
