import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startHandover } from '../harness/handover.ts'
import { PATIENCE_MS } from '../harness/soon.ts'

// Requests as no decent client sends them, byte for byte: whoever stands in front of the service must never be brought to see
// another request than the service does, and nothing that a client sends is logged as a bug.

const service = await startHandover()
after(service.stop)

const QUIET_MS = 400

/** The status of every answer that came before the connection was closed or, with as many as are due, went quiet. */
function statuses(request: string, due: number): Promise<number[]> {
  const { port } = new URL(service.url)
  return new Promise((resolve) => {
    let answer = ''
    const found = () => [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
    const began = performance.now()
    const socket = connect(Number(port), '127.0.0.1')
    const done = () => {
      socket.destroy()
      resolve(found())
    }
    // A busy machine is quiet for a while before it answers too.
    const quiet = () => {
      if (found().length >= due || performance.now() - began > PATIENCE_MS) done()
      else socket.setTimeout(QUIET_MS)
    }
    socket.setTimeout(QUIET_MS).on('timeout', quiet)
    socket.on('error', done).on('close', done)
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
    })
    socket.write(request, 'latin1')
  })
}

const HOST = 'Host: localhost\r\n'
const POST = `POST /oidc/oauth/token HTTP/1.1\r\n${HOST}Content-Type: application/x-www-form-urlencoded\r\n`
const get = (target: string, headers = HOST) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`

const cases: Array<[title: string, request: string, expected: number[]]> = [
  ['HTTP/1.0', `GET /healthz HTTP/1.0\r\n${HOST}\r\n`, [200]],
  ['five requests in one piece', get('/healthz').repeat(5), [200, 200, 200, 200, 200]],
  ['no Host', get('/healthz', ''), [400]],
  ['an empty Host', get('/healthz', 'Host:\r\n'), [400]],
  ['two Hosts', get('/healthz', `${HOST}Host: evil.example\r\n`), [400]],
  ['two Hosts, spelled differently', get('/healthz', `${HOST}hOsT: localhost\r\n`), [400]],
  ['a Host with two ports', get('/healthz', 'Host: localhost:80:evil\r\n'), [400]],
  ['a Host with a user', get('/healthz', 'Host: localhost@evil.example\r\n'), [400]],
  ['a Host with a path', get('/healthz', 'Host: localhost/x\r\n'), [400]],
  ['a list of Hosts', get('/healthz', 'Host: localhost, evil.example\r\n'), [400]],
  ['the absolute form of the same host', get('http://localhost/healthz'), [200]],
  ['the absolute form of another host', get('http://evil.example/healthz'), [400]],
  ['the absolute form with a user', get('http://localhost@evil.example/healthz'), [400]],
  ['a target that is no path', get('*'), [400]],
  ['a path of another host', get('//evil.example/healthz'), [404]],
  ['bytes that are no UTF-8', get('/\xff\xfe'), [400]],
  ['percent-encoded bytes that are no UTF-8', get('/portal/%ff%fe'), [400]],
  ['a zero byte', get('/\0'), [400]],
  ['a method without what it needs', `QUERY /oidc/x HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`, [400]],
  ['an unknown method', `FOO / HTTP/1.1\r\n${HOST}\r\n`, [400]],
  ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\r\n\r\n', [400]],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['a header of 20 kB', get('/healthz', `${HOST}X: ${'a'.repeat(20_000)}\r\n`), [431]],
  ['a path of 20 kB', get(`/${'a'.repeat(20_000)}`), [431]],
  ['3000 headers', get('/healthz', HOST + 'x:1\r\n'.repeat(3_000).replaceAll('x', 'long-name')), [431]],
  ['both lengths', `${POST}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get('/healthz')}`, [400]],
  ['two lengths', `${POST}Content-Length: 0\r\nContent-Length: 5\r\n\r\nhello`, [400]],
  ['a signed length', `${POST}Content-Length: +5\r\n\r\nhello`, [400]],
  ['a negative length', `${POST}Content-Length: -1\r\n\r\n`, [400]],
  ['a length beyond all numbers', `${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\nx`, [400]],
  ['a length beyond the limit', `${POST}Content-Length: 99999999999\r\n\r\nx`, [413]],
  ['an unknown transfer coding', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, [400]],
  ['two transfer codings', `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`, [400]],
  ['a space before the colon', `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, [400]],
  ['a chunk whose size is no number', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`, [400]],
  ['a chunk longer than it says', `${POST}Transfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n`, [400]],
  ['a folded header', get('/healthz', `${HOST}X-A: b\r\n c\r\n`), [400]],
  ['bare line feeds', 'GET /healthz HTTP/1.1\nHost: localhost\n\n', [400]],
  ['a zero byte in a header', get('/healthz', `${HOST}X: a\0b\r\n`), [400]],
  [
    'a body too long for it, then a request',
    `${get('/healthz', `${HOST}Content-Length: 2\r\n`)}abGARBAGE\r\n\r\n`,
    [200, 400],
  ],
]
for (const [title, request, expected] of cases) {
  test(`${expected.join(', ')}: ${title}`, async () =>
    assert.deepEqual(await statuses(request, expected.length), expected))
}

test('HEAD is answered like GET, without a body', async () => {
  for (const path of ['/', '/healthz', '/readyz', '/nothing', '/portal/nothing', '/api/v2/public/nothing']) {
    const [head, whole] = await Promise.all([
      fetch(service.url + path, { method: 'HEAD' }),
      fetch(service.url + path, { method: 'GET' }),
    ])
    assert.equal(head.status, whole.status, path)
    assert.equal(head.headers.get('content-type'), whole.headers.get('content-type'), path)
    assert.equal(await head.text(), '', path)
    await whole.text()
  }
})

test('nothing of all this was logged as a bug', () => {
  assert.deepEqual(
    service.logged.filter((line) => /"level":(50|60)/.test(line)),
    [],
  )
})
