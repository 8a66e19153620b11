import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { type Answer, toAnswer } from '../harness/answer.ts'
import { PRODUCTION, SANDBOX, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene({ HANDOVER_LOG_LEVEL: 'error' })
after(scene.service.stop)
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
after(() => agent.destroy())
const { port } = new URL(scene.url)
const application = await scene.application({
  clientCredentials: true,
  passwordGrant: true,
  ratePerSecond: 1_000_000,
  rateBurst: 1_000_000,
})
const { refresh } = await scene.grant(application)

/** The same runs every time; a failure prints the smallest request that shows it. */
const RUNS = { seed: 20_260_101, numRuns: 250 }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Sent = { method?: string; path?: string; headers?: Record<string, string>; body: Uint8Array | string }

async function send({ method = 'POST', path = '/oidc/oauth/token', headers = FORM, body }: Sent): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, resolve)
    sent.on('error', reject).end(body)
  })
  const named = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
  return toAnswer(response.statusCode ?? 0, new Headers(named), await text(response))
}

const CODES =
  /^(invalid_(request|client|grant|scope|target)|unauthorized_client|unsupported_grant_type|too_many_requests)$/

/** A token, or one of the errors that are stated; never anything else. */
function assertStated({ status, headers, body, text: said }: Answer): void {
  assert.ok([200, 400, 401, 405, 413, 415, 429].includes(status), `${status} ${said}`)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(headers.get('cache-control'), 'no-store')
  if (status === 200) assert.equal(body['token_type'], 'Bearer')
  else assert.match(String(body['error']), CODES)
}

const odd = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\u{1f600}',
  'é',
  '\u202e',
  '%00',
  '%',
  '+',
  '&',
  '=',
  "'",
  '"',
  '\\',
  '{}',
  'NULL',
  '-1',
  '../',
  '\r\n',
  '__proto__',
  'constructor',
)
const anything = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  odd,
  fc.string({ minLength: 1_000, maxLength: 9_000 }),
)
const grantType = fc.constantFrom('authorization_code', 'password', 'refresh_token', 'client_credentials', 'code')
const parameter = fc.oneof(
  fc.tuple(fc.constant('grant_type'), grantType),
  fc.tuple(fc.constant('audience'), fc.constantFrom(PRODUCTION, SANDBOX)),
  fc.tuple(
    fc.constantFrom(
      'grant_type',
      'client_id',
      'client_secret',
      'code',
      'code_verifier',
      'redirect_uri',
      'refresh_token',
      'scope',
      'audience',
      'username',
      'password',
    ),
    anything,
  ),
  fc.tuple(anything, anything),
)

/** Some percent-encoded as they should be, some as they are. */
const encoded = (pairs: Array<[string, string]>, raw: boolean) =>
  pairs
    .map(([name, value]) => (raw ? `${name}=${value}` : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`))
    .join('&')

test('any bytes as a form: a stated error', async () => {
  const bytes = fc.uint8Array({ maxLength: 2_000 })
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => assertStated(await send({ body }))),
    RUNS,
  )
})

test('any parameters from anybody: a stated error', async () => {
  const property = fc.asyncProperty(fc.array(parameter, { maxLength: 12 }), fc.boolean(), async (pairs, raw) =>
    assertStated(await send({ body: encoded(pairs, raw) })),
  )
  await fc.assert(property, RUNS)
})

test('any parameters from an application that proved itself, by any grant: a token or a stated error', async () => {
  const property = fc.asyncProperty(grantType, fc.array(parameter, { maxLength: 8 }), async (grant, pairs) => {
    const own = new Map<string, string>([
      ['scope', ''],
      ['refresh_token', refresh],
      ...pairs,
      ['grant_type', grant],
      ['client_id', application.id],
      ['client_secret', application.secret ?? ''],
    ])
    // Throttling of sign-ins is tested elsewhere; here it would only hide what lies behind it.
    own.delete(own.get('grant_type') === 'password' ? 'password' : '')
    assertStated(await send({ body: encoded([...own], false) }))
  })
  await fc.assert(property, RUNS)
})

test('any headers and methods: a stated error', async () => {
  const value = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 20 }),
    odd,
  )
  const clean = value.map((each) => each.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, ''))
  const headers = fc.record(
    {
      'content-type': fc.oneof(
        clean,
        fc.constantFrom(
          FORM['content-type'],
          `${FORM['content-type']};charset=utf-16`,
          'application/json',
          ';',
          'a/b;c',
          '/',
        ),
      ),
      authorization: fc.oneof(
        clean,
        clean.map((each) => `Basic ${each}`),
        clean.map((each) => `Basic ${Buffer.from(each).toString('base64')}`),
      ),
      origin: clean,
      accept: clean,
      'x-request-id': clean,
      'content-encoding': clean,
      'if-none-match': clean,
    },
    { requiredKeys: [] },
  )
  const method = fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE')
  const property = fc.asyncProperty(method, headers, clean, async (asked, given, body) => {
    const answer = await send({
      method: asked,
      headers: { ...given, 'content-length': String(Buffer.byteLength(body)) },
      body,
    })
    // A browser that GETs is shown a page.
    if (asked === 'GET' && answer.headers.get('content-type')?.startsWith('text/html')) assert.equal(answer.status, 405)
    else assertStated(answer)
  })
  await fc.assert(property, RUNS)
})

test('any query beside a good body: a token, or invalid_request for a secret in it', async () => {
  const good = {
    grant_type: 'client_credentials',
    audience: PRODUCTION,
    client_id: application.id,
    client_secret: application.secret ?? '',
  }
  const body = new URLSearchParams(good).toString()
  const query = fc.string({ unit: fc.constantFrom(...'abc?&=%/.;+client_secret'.split('')), maxLength: 60 })
  const property = fc.asyncProperty(query, async (given) =>
    assertStated(await send({ path: `/oidc/oauth/token?${given.replaceAll('#', '')}`, body })),
  )
  await fc.assert(property, { ...RUNS, numRuns: 100 })
})

test('a body of a megabyte, with its length said and in chunks: 413', async () => {
  const body = 'x'.repeat(1_000_000)
  assert.equal((await send({ body, headers: { ...FORM, 'content-length': '1000000' } })).status, 413)
  const chunked = await send({ body, headers: { ...FORM, 'transfer-encoding': 'chunked' } }).catch(() => null)
  assert.ok(chunked === null || chunked.status === 413, 'the connection may be cut while it is still being sent')
})

test('what is not HTTP at all, or breaks off: the service goes on', async () => {
  const head =
    'POST /oidc/oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n'
  for (const bytes of [
    '\0\0\0\0',
    'POST\r\n\r\n',
    `${head}content-length: 100\r\n\r\nshort`,
    `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
    `${head}content-length: -1\r\n\r\n`,
    `${head}x: \0\r\n\r\n`,
  ]) {
    const answer = await rawBytes(bytes)
    assert.doesNotMatch(answer, /^HTTP\/1\.1 5/, JSON.stringify(bytes))
  }
  assert.equal((await send({ body: 'grant_type=code' })).status, 400)
})

test('and nothing of all this was logged as a failure of ours', () => {
  assert.deepEqual(scene.service.logged, [])
})

function rawBytes(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let said = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(bytes))
    socket.on('data', (chunk) => (said += chunk.toString('latin1')))
    socket.on('error', () => {}).on('close', () => resolve(said))
  })
}
