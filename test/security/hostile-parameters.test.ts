import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import {
  arrivalOf,
  assertErrorArrives,
  assertErrorPage,
  CALLBACK,
  pathOf,
  query,
  startAuthorizeScene,
} from '../harness/authorize-scene.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const application = await scene.client({ implicit: true, redirectUris: [CALLBACK] })
const firstParty = await scene.client({ firstParty: true, implicit: true })
const browser = await scene.signedIn()

const states: Array<[string, string]> = [
  ['4 KB of letters', 'x'.repeat(4_096)],
  ['4 KB that grow threefold when they are encoded', '%'.repeat(4_096)],
  ['4 KB of umlauts', 'ü'.repeat(2_048)],
  ['everything that means something in a query', "a&b=c?d#e+f%20g;h/i:j@k,l!m$n'o(p)q*r[s]"],
  ['markup', '"><script>alert(1)</script>\'`&amp;&lt;'],
  ['spaces at both ends', '  a b  '],
  ['other scripts and an emoji', 'привет 你好 👩‍⚕️ \u00a0 \u2028'],
  ['JSON', '{"next":"/a?b=c","n":[1,2]}'],
  ['base64', 'eyJhIjoxfQ==+/'],
]
for (const [what, state] of states) {
  test(`state comes back unchanged in every mode: ${what}`, async () => {
    for (const mode of ['query', 'fragment', 'form_post']) {
      const answer = await browser.get(scene.address(firstParty, { state, response_mode: mode }))
      const { fields } = arrivalOf(answer)
      assert.equal(fields['state'], state)
      assert.ok(fields['code'])
    }
    const silent = await new WebClient().get(scene.address(application, { state, prompt: 'none' }))
    assert.equal(assertErrorArrives(scene, silent, 'login_required').fields['state'], state)
  })
}

test('state survives sign-in and consent unchanged', async () => {
  const state = '"><&?=%26+ü☃'.repeat(100)
  assert.equal((await scene.arrive(new WebClient(), application, { state })).fields['state'], state)
})

test('invalid_request, and no state, for control characters and more than 4 KB', async () => {
  for (const state of [
    'a\r\nb',
    '\n',
    'a\tb',
    '\u0001',
    '\u007f',
    '\u001b[31m',
    'x'.repeat(4_097),
    'ü'.repeat(2_049),
  ]) {
    const answer = await browser.get(scene.address(firstParty, { state }))
    assert.equal(assertErrorArrives(scene, answer, 'invalid_request').fields['state'], undefined)
  }
})

test('an unencoded question mark belongs to the value that it stands in (RFC 3986 3.4)', async () => {
  const address = scene.address(firstParty, { state: null, redirect_uri: null })
  assert.equal(arrivalOf(await browser.get(`${address}&state=a?b?c`)).fields['state'], 'a?b?c')
  const withQuery = await scene.client({ firstParty: true, redirectUris: ['https://client.example/cb?a=b'] })
  const { location } = await browser.get(
    `${scene.url}/oidc/authorize?response_type=code&client_id=${withQuery.id}&redirect_uri=https://client.example/cb?a=b`,
  )
  assert.match(location ?? '', /^https:\/\/client\.example\/cb\?a=b&code=/)
})

const NAMES = [
  'response_type',
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'state',
  'nonce',
  'redirect_uri',
  'response_mode',
  'audience',
  'scope',
  'prompt',
  'screen_hint',
  'max_age',
  'login_hint',
  'id_token_hint',
  'ui_locales',
  'display',
  'request',
  'request_uri',
  'interaction',
  'posted',
  'unknown"><xss',
]
const VALUES = [
  'a\r\nSet-Cookie: evil=1',
  '\r\n\r\n<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'; drop table users; --",
  'a\u0000b',
  'javascript:alert(1)',
  'x'.repeat(5_000),
  '${7*7}{{7*7}}<%= 7*7 %>',
  '../../../etc/passwd',
  '__proto__',
  '\ud83d\ude00\u202e',
]
for (const name of NAMES) {
  test(`CRLF, quotes, script and NUL in ${name} do no harm`, async () => {
    for (const value of VALUES) {
      const stranger = new WebClient()
      const fields = { client_id: application.id, response_type: 'code', [name]: value }
      const get = await browser.get(scene.address(application, { [name]: value }))
      const post = await stranger.post(`${scene.url}/oidc/authorize`, fields)
      for (const answer of [get, post, await browser.follow(get), await stranger.follow(post)]) assertHarmless(answer)
    }
  })
}

test('bad percent-encoding, bytes that are not UTF-8, and NUL bytes in a body are refused with a page', async () => {
  const start = `${scene.url}/oidc/authorize?${query({ client_id: application.id, response_type: 'code' })}`
  for (const more of ['&state=%zz', '&state=%', '&state=%ff%fe', '&state=%c0%af', '&state=%00', '&%00=a'])
    assertErrorPage(await new WebClient().get(start + more))
  for (const body of ['client_id=\u0000', 'state=%00', 'a=\u00ff', '%', '\u0000']) {
    for (const path of ['/oidc/authorize', '/oidc/logout']) {
      const response = await fetch(scene.url + path, {
        method: 'POST',
        redirect: 'follow',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
        body: Buffer.from(body, 'latin1'),
      })
      assert.equal(response.status, 400, JSON.stringify(body))
      await response.text()
    }
  }
})

test('raw bytes in the request line are refused, not passed on', async () => {
  for (const raw of ['\u00e4', '\u00ff', '"', '<', '\\', '{', '|']) {
    const answer = await rawRequest(
      `/oidc/authorize?client_id=${application.id}&response_type=code&state=a${raw}b&prompt=none`,
    )
    assert.match(answer, /^HTTP\/1\.1 (?:400|302) /)
    const location = /^location: (.*)\r$/im.exec(answer)?.[1] ?? ''
    assert.doesNotMatch(location, /["<\\{|\u0080-\uffff]/)
  }
})

test('a fuzz of /authorize and /logout finds no 500 and nowhere to be redirected to but home', async () => {
  const good: Record<string, string[]> = {
    client_id: [application.id, firstParty.id],
    response_type: ['code', 'token', 'id_token', 'token id_token', 'id_token token', 'code token'],
    response_mode: ['query', 'fragment', 'form_post', 'web_message'],
    redirect_uri: [CALLBACK],
    scope: ['openid', 'openid profile offline_access', 'marketplace:read', 'unknown'],
    audience: ['urn:handover:api:production', 'urn:handover:api:sandbox'],
    prompt: ['none', 'login', 'consent', 'select_account', 'none login', 'create'],
    max_age: ['0', '1', '-1', '9999999999', '1e3'],
    nonce: ['n'],
    state: ['s'],
    screen_hint: ['signup', 'login'],
    code_challenge: ['c'.repeat(43), 'c'],
    code_challenge_method: ['S256', 'plain'],
    id_token_hint: ['a.b.c', 'eyJhbGciOiJub25lIn0.e30.'],
    logout_hint: ['ses_x'],
    post_logout_redirect_uri: [CALLBACK],
  }
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(...VALUES.slice(0, 5)),
    fc.constant(''),
  )
  const pair = fc
    .constantFrom(...Object.keys(good), 'x')
    .chain((name) =>
      fc.tuple(
        fc.constant(name),
        fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...(good[name] ?? ['x'])) },
          { weight: 1, arbitrary: anyText },
        ),
      ),
    )
  const requests = fc.record({
    path: fc.constantFrom('/oidc/authorize', '/oidc/authorize', '/oidc/authorize', '/oidc/logout'),
    known: fc.boolean(),
    pairs: fc.array(pair, { maxLength: 10 }),
    started: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(requests, async ({ path, known, pairs, started }) => {
      const begun: Array<[string, string]> = started
        ? [
            ['client_id', application.id],
            ['response_type', 'code'],
          ]
        : []
      const encoded = [...begun, ...pairs]
        .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
        .join('&')
      const who = known ? browser.copy() : new WebClient()
      const answer = await who.follow(await who.get(`${scene.url}${path}?${encoded}`))
      assertHarmless(answer)
      if (answer.location !== null) assert.ok(answer.location.startsWith(CALLBACK), answer.location)
    }),
    { numRuns: 400 },
  )
})

test('a scope in which nothing is known can be asked for again and again', async () => {
  for (const asked of [await scene.client(), await scene.client({ firstParty: true })]) {
    for (let times = 0; times < 3; times += 1) {
      const { fields } = await scene.arrive(browser, asked, { scope: 'unknown', prompt: 'consent' })
      assert.ok(fields['code'])
    }
    assert.equal(pathOf(await scene.visit(browser, asked, { scope: 'unknown' })), '')
  }
})

/** Whatever was sent: no 500, nothing set or sent elsewhere by it, and a page comes with every header that a page needs. */
function assertHarmless(answer: WebAnswer): void {
  assert.ok(answer.status < 500, `${answer.status} at ${answer.url}`)
  assert.ok(answer.headers.getSetCookie().every((line) => line.startsWith('handover-')))
  if (answer.location !== null)
    assert.match(answer.location, /^(?:https:\/\/client\.example\/|http:\/\/localhost:\d+\/oidc\/)/)
  assert.doesNotMatch(answer.text, /<script>alert|"><xss/)
  if ((answer.headers.get('content-type') ?? '').startsWith('text/html')) assertPageHeaders(answer)
}

/** As it stands, without the tidying that fetch does. */
async function rawRequest(path: string): Promise<string> {
  const { hostname, port } = new URL(scene.url)
  const socket = connect(Number(port), hostname)
  socket.end(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`, 'latin1'))
  return text(socket)
}
