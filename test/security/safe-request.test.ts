import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { after, afterEach, test } from 'node:test'
import type { Resolve } from '../../src/platform/safe-request/lookup.ts'
import { createSafeAgent, type SafeAgent, type SafeAgentOptions } from '../../src/platform/safe-request/safe-agent.ts'
import { safeRequest } from '../../src/platform/safe-request/safe-request.ts'
import { PUBLIC, startReceiver } from '../harness/receiver.ts'
import { selfSigned } from '../harness/self-signed.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

/** What must never be reached: a service of this machine, at the port of every URL below. */
const canary = await startReceiver(
  createServer((_, response) => response.end('secret')),
  '127.0.0.1',
)
const { port } = canary
const seen: IncomingMessage[] = []
const receiver = await startReceiver(
  // Without a hint how long it keeps connections: the limit has to be ours.
  createServer({ keepAliveTimeout: 0 }, (request, response) => {
    seen.push(request)
    const [, status = '200', keep] = (request.url ?? '').split('/')
    if (keep !== 'keep') response.setHeader('connection', 'close')
    response.writeHead(Number(status), { location: `http://127.0.0.1:${port}/` }).end('thanks')
  }),
  PUBLIC,
  port,
)

const agents: SafeAgent[] = []
function agent(options: SafeAgentOptions = {}): SafeAgent {
  const made = createSafeAgent({ permit: (address) => address === PUBLIC, resolve: async () => [PUBLIC], ...options })
  agents.push(made)
  return made
}
afterEach(() => assert.equal(canary.connections(), 0, 'the canary was reached'))
after(async () => {
  await Promise.all(agents.map((each) => each.close()))
  assert.ok(await soon(async () => receiver.open() === 0), 'a connection was left open')
  await receiver.close()
  await canary.close()
})

/** In any time: none of this is about how long it takes. */
const post = (by: SafeAgent, url: string) =>
  safeRequest(by, {
    url: new URL(url),
    method: 'POST',
    headers: { 'x-a': 'b' },
    body: '{}',
    totalMs: PATIENCE_MS,
    keepBytes: 100,
  })

test('a name that resolves to something else every time never leads to an inner address', async () => {
  const answers = [
    [PUBLIC],
    ['127.0.0.1'],
    ['169.254.169.254'],
    [PUBLIC, '127.0.0.1'],
    ['127.0.0.1', PUBLIC],
    [PUBLIC, '::1'],
    [PUBLIC, PUBLIC, PUBLIC, PUBLIC, PUBLIC, '::ffff:127.0.0.1'],
    ['localhost'],
  ]
  let asked = 0
  const by = agent({ resolve: async () => answers[asked++ % answers.length] ?? [] })
  const before = receiver.connections()
  const outcomes: string[] = []
  while (outcomes.length < 1_000) {
    const batch = Array.from({ length: 40 }, () => post(by, `http://rebinding.example:${port}/200`))
    for (const outcome of await Promise.all(batch))
      outcomes.push(outcome.kind === 'answered' ? outcome.address : outcome.error)
  }
  assert.equal(outcomes.filter((each) => each === PUBLIC).length, 125)
  assert.equal(outcomes.filter((each) => each === 'refused-address').length, 875)
  assert.equal(receiver.connections() - before, 125)
  assert.equal(asked, 1_000, 'one question for each connection')
})

test('a refusal says the host and the reason, and neither the path nor the address', async () => {
  const outcome = await post(agent({ resolve: async () => ['10.1.2.3'] }), `https://inner.example/secret-path?key=k`)
  assert.ok(outcome.kind === 'failed' && outcome.error === 'refused-address')
  assert.equal(outcome.message, 'The address of inner.example is a private address, and is not called')
})

for (const status of [300, 301, 302, 303, 305, 307, 308])
  test(`a redirect by ${status} is an answer and not followed`, async () => {
    const before = receiver.connections()
    const outcome = await post(agent(), `http://redirecting.example:${port}/${status}`)
    assert.ok(outcome.kind === 'answered')
    assert.equal(outcome.status, status)
    assert.equal(outcome.headers['location'], `http://127.0.0.1:${port}/`)
    assert.equal(receiver.connections() - before, 1)
  })

test('no spelling of an inner address is dialled, and nobody is asked for it', async () => {
  let asked = 0
  const resolve: Resolve = async () => {
    asked += 1
    return [PUBLIC]
  }
  const short = ['127.0.0.1', '127.1', '2130706433', '0177.0.0.1', '0x7f.1', '0x7f000001', '0', '[::1]', '[::]']
  const hidden = [
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fec0::1]',
    '[fe80::1]',
  ]
  const by = agent({ resolve })
  for (const host of [
    ...short,
    ...hidden,
    '１２７.0.0.1',
    '127.0.0.3',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00:ec2::254]',
  ]) {
    const outcome = await post(by, `http://${host}:${port}/`)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'refused-address', host)
  }
  assert.equal(asked, 0)
})

test('where loopback is allowed, only a host that says so leads there', async (t) => {
  const own = await startReceiver(
    createServer((_, response) => response.end('mine')),
    '127.0.0.1',
  )
  t.after(own.close)
  const by = createSafeAgent({ loopbackAllowed: true, resolve: async () => ['127.0.0.1'] })
  agents.push(by)
  for (const host of ['localhost', '127.0.0.1'])
    assert.equal((await post(by, `http://${host}:${own.port}/`)).kind, 'answered', host)
  const before = own.connections()
  for (const host of ['rebinding.example', '[::ffff:127.0.0.1]', '10.0.0.1', 'x.localhost']) {
    const outcome = await post(by, `http://${host}:${own.port}/`)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'refused-address', host)
  }
  assert.equal(own.connections(), before)
})

test('a connection is used again, and a new one asks for the address again', async () => {
  let answer: string[] = [PUBLIC]
  let asked = 0
  const by = agent({
    resolve: async () => {
      asked += 1
      return answer
    },
  })
  const url = `http://keeping.example:${port}/200/keep`
  const before = receiver.connections()
  for (let turn = 0; turn < 3; turn++) assert.equal((await post(by, url)).kind, 'answered')
  assert.deepEqual([receiver.connections() - before, asked], [1, 1])
  answer = ['127.0.0.1']
  assert.equal((await post(by, url)).kind, 'answered', 'what was checked and is connected stays')
  receiver.cut()
  await soon(async () => receiver.open() === 0)
  const outcome = await post(by, url)
  assert.equal(outcome.kind === 'failed' && outcome.error, 'refused-address')
  assert.equal(asked, 2)
})

test('connections that wait for a request are few, and not for long', async () => {
  const urls = ['a', 'b', 'c', 'd', 'e'].map((name) => `http://${name}.example:${port}/200/keep`)
  const askAll = async (by: SafeAgent) => {
    for (const outcome of await Promise.all(urls.map((url) => post(by, url)))) assert.equal(outcome.kind, 'answered')
  }
  // Two agents: those that wait only for a moment may be gone before anybody has counted them.
  const few = agent({ mostIdle: 2, idleMs: PATIENCE_MS })
  await askAll(few)
  assert.ok(await soon(async () => receiver.open() === 2), `${receiver.open()} wait`)
  await few.close()
  assert.ok(await soon(async () => receiver.open() === 0), 'what was closed is open')
  await askAll(agent({ idleMs: 200 }))
  assert.ok(await soon(async () => receiver.open() === 0), 'and longer than they should')
})

test('the next address is tried when one cannot be reached', async () => {
  const by = agent({
    permit: (address) => address.startsWith('127.0.0.') && address !== '127.0.0.1',
    resolve: async () => ['127.0.0.9', PUBLIC],
  })
  const outcome = await post(by, `http://two.example:${port}/200`)
  assert.equal(outcome.kind === 'answered' && outcome.address, PUBLIC)
})

test('a name that does not resolve is a failure of dns', async () => {
  const missing = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })
  for (const resolve of [async () => [], () => Promise.reject(missing)]) {
    const outcome = await post(agent({ resolve }), `http://nowhere.example:${port}/`)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'dns')
  }
})

test('a proxy in the environment is not used, and Host is the name', async () => {
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
  for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${port}`
  try {
    assert.equal((await post(agent(), `http://proxied.example:${port}/204`)).kind, 'answered')
  } finally {
    for (const name of names) delete process.env[name]
  }
  const request = seen.at(-1)
  assert.deepEqual([request?.headers.host, request?.headers['x-a']], [`proxied.example:${port}`, 'b'])
})

test('with TLS the certificate has to be trusted and be for the name', async (t) => {
  const { key, cert } = selfSigned('receiver.example')
  const names: unknown[] = []
  const secure = await startReceiver(
    createTlsServer({ key, cert }, ({ socket, headers }, response) => {
      names.push('servername' in socket && socket.servername, headers.host)
      response.end('safe')
    }),
  )
  const plain = await startReceiver(createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')))
  t.after(() => Promise.all([secure.close(), plain.close()]))
  const at = `receiver.example:${secure.port}`
  const by = agent({ ca: cert })
  const good = await post(by, `https://${at}/`)
  assert.equal(good.kind === 'answered' && good.bodyStart.toString(), 'safe')
  assert.deepEqual(names, ['receiver.example', at])
  assert.equal((await post(by, `https://${at}/again`)).kind, 'answered')
  assert.equal(secure.connections(), 1, 'used again')

  // It would switch the proof off, and warns of it.
  t.mock.method(process, 'emitWarning', () => {})
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
  for (const [what, strict, url, message] of [
    ['another name', by, `https://other.example:${secure.port}/`, /: its certificate is for another name$/],
    ['an address', by, `https://${PUBLIC}:${secure.port}/`, /: its certificate is for another name$/],
    ['an unknown authority', agent(), `https://${at}/`, /: self-signed certificate$/],
    ['no TLS at all', by, `https://receiver.example:${plain.port}/`, /: wrong version number$/],
  ] as const) {
    const outcome = await post(strict, url)
    assert.equal(outcome.kind === 'failed' && outcome.error, 'tls', what)
    assert.match(outcome.kind === 'failed' ? outcome.message : '', message)
  }
  assert.equal(names.length, 4, 'no request was sent')
})
