import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { assertError, textOf } from '../harness/answer.ts'
import {
  arrivalOf,
  assertErrorArrives,
  CALLBACK,
  FACILITY,
  NURSE,
  pathOf,
  startAuthorizeScene,
} from '../harness/authorize-scene.ts'
import { PRODUCTION, SANDBOX } from '../harness/token-scene.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const firstParty = await scene.client({ firstParty: true })

test('302 with Location equal to redirect_uri plus code and state, and iss (RFC 9207)', async () => {
  const browser = await scene.signedIn()
  const answer = await browser.get(scene.address(firstParty, { state: 'a b' }))
  assert.equal(answer.status, 302)
  const iss = encodeURIComponent(`${scene.url}/oidc`)
  assert.match(
    answer.headers.get('location') ?? '',
    new RegExp(`^${CALLBACK}\\?code=[A-Za-z0-9_-]{43}&state=a%20b&iss=${iss}$`),
  )
})

test('the code gives the tokens of the contract, once; the ID token says who signed in, when, and for which request', async () => {
  const browser = new WebClient()
  const before = Math.floor(Date.now() / 1_000)
  const scope = 'openid profile email role offline_access'
  const { fields } = await scene.arrive(browser, await scene.client(), { scope, nonce: 'n-0S6_WzA2Mj' })
  assert.ok(fields['code'])
  const application = await scene.client()
  const code = (await scene.arrive(browser, application, { scope, nonce: 'n-0S6_WzA2Mj' })).fields['code'] ?? ''
  const answer = await scene.exchange(application, code, { redirect_uri: CALLBACK })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body).toSorted(), [
    'access_token',
    'expires_in',
    'id_token',
    'refresh_token',
    'scope',
    'token_type',
  ])
  assert.equal(answer.body['scope'], scope)

  const { claims } = await verifiedClaims(textOf(answer, 'id_token'), scene.url)
  const access = await verifiedClaims(textOf(answer, 'access_token'), scene.url)
  assert.equal(claims.aud, application.id)
  assert.equal(claims.sub, scene.nurse.id)
  assert.equal(claims['nonce'], 'n-0S6_WzA2Mj')
  assert.equal(claims['email'], NURSE)
  assert.ok(typeof claims['sid'] === 'string' && claims['sid'] === access.claims['sid'])
  assert.ok(Number(claims['auth_time']) >= before - 1 && Number(claims['auth_time']) <= before + 60)
  const digest = createHash('sha256').update(textOf(answer, 'access_token')).digest()
  assert.equal(claims['at_hash'], digest.subarray(0, 16).toString('base64url'))
  assertError(await scene.exchange(application, code, { redirect_uri: CALLBACK }), 400, 'invalid_grant')
})

test('every code of one session has its sid; another session has another', async () => {
  const sidOf = async (browser: WebClient) => {
    const { fields } = await scene.arrive(browser, firstParty)
    const answer = await scene.exchange(firstParty, fields['code'] ?? '', { redirect_uri: CALLBACK })
    return (await verifiedClaims(textOf(answer, 'id_token'), scene.url)).claims['sid']
  }
  const browser = await scene.signedIn()
  const sid = await sidOf(browser)
  assert.equal(await sidOf(browser), sid)
  assert.notEqual(await sidOf(await scene.signedIn()), sid)
})

test('without redirect_uri the only registered one is used, and the exchange needs none', async () => {
  const browser = await scene.signedIn()
  const { target, fields } = await scene.arrive(browser, firstParty, { redirect_uri: null })
  assert.equal(target, CALLBACK)
  assert.equal((await scene.exchange(firstParty, fields['code'] ?? '')).status, 200)
})

test('400 invalid_grant when redirect_uri was sent to /authorize and is not repeated', async () => {
  const browser = await scene.signedIn()
  for (const wrong of [null, `${CALLBACK}/`, 'https://evil.example']) {
    const { fields } = await scene.arrive(browser, firstParty)
    assertError(await scene.exchange(firstParty, fields['code'] ?? '', { redirect_uri: wrong }), 400, 'invalid_grant')
  }
})

test('without state there is none in the answer', async () => {
  const browser = await scene.signedIn()
  for (const state of [null, '']) {
    assert.deepEqual(Object.keys((await scene.arrive(browser, firstParty, { state })).fields), ['code', 'iss'])
  }
})

test('people sign in with e-mail or username, in any case', async () => {
  for (const login of ['nurse', 'NURSE', NURSE, 'Nurse@Example.COM', ` ${NURSE} `]) {
    const browser = new WebClient()
    assert.ok((await scene.arrive(browser, firstParty, {}, login)).fields['code'], login)
  }
})

test('a wrong password shows the page again: what was typed stays, the password does not, and it can be tried again', async () => {
  const browser = new WebClient()
  const page = await scene.visit(browser, firstParty)
  const wrong = await browser.submit(page, { username: FACILITY, password: 'wrong password' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /role="alert">The e-mail, username or password is not right\./)
  assert.match(wrong.text, new RegExp(`autocomplete="username" value="${FACILITY}"`))
  assert.ok(!wrong.text.includes('wrong password'))
  assert.ok(arrivalOf(await browser.send(wrong, { username: FACILITY, password: scene.password })).fields['code'])
})

const scopes: Array<[string, { scope: string | null; audience?: string }, string]> = [
  ['none: openid', { scope: null }, 'openid'],
  [
    'none with an audience: openid and the API’s',
    { scope: null, audience: SANDBOX },
    'openid marketplace:read marketplace:write',
  ],
  ['unknown ones are ignored', { scope: 'openid admin profile *' }, 'openid profile'],
  ['API scopes without an audience are dropped', { scope: 'openid marketplace:read' }, 'openid'],
  [
    'API scopes with an audience',
    { scope: 'openid marketplace:read', audience: PRODUCTION },
    'openid marketplace:read',
  ],
  ['one that is written twice counts once', { scope: 'openid  email openid' }, 'openid email'],
  [
    'every one there is',
    { scope: 'openid profile email name address phone role' },
    'openid profile email name address phone role',
  ],
]
for (const [what, asked, granted] of scopes) {
  test(`scope: ${what}`, async () => {
    const { fields } = await scene.arrive(await scene.signedIn(), firstParty, asked)
    const answer = await scene.exchange(firstParty, fields['code'] ?? '', { redirect_uri: CALLBACK })
    assert.equal(answer.body['scope'], granted)
    const { claims } = await verifiedClaims(textOf(answer, 'access_token'), scene.url)
    assert.equal(claims['scope'], granted)
    assert.deepEqual(claims.aud, asked.audience === undefined ? firstParty.id : [asked.audience, firstParty.id])
  })
}

test('scope: API scopes that the application may not have are not granted', async () => {
  const reader = await scene.client({ firstParty: true, apiScopes: ['marketplace:read'] })
  const browser = await scene.signedIn()
  for (const scope of [null, 'openid marketplace:write marketplace:read']) {
    const { fields } = await scene.arrive(browser, reader, { scope, audience: PRODUCTION })
    const answer = await scene.exchange(reader, fields['code'] ?? '', { redirect_uri: CALLBACK })
    assert.equal(answer.body['scope'], 'openid marketplace:read')
  }
})

test('invalid_target for an unknown audience, and for one that the application may not use', async () => {
  const sandboxOnly = await scene.client({ environments: ['sandbox'] })
  const browser = await scene.signedIn()
  for (const [application, audience] of [
    [firstParty, 'urn:nobody'],
    [firstParty, `${PRODUCTION} ${SANDBOX}`],
    [sandboxOnly, PRODUCTION],
  ] as const) {
    assertErrorArrives(scene, await scene.visit(browser, application, { audience }), 'invalid_target')
  }
  assert.equal(pathOf(await scene.visit(browser, sandboxOnly, { audience: SANDBOX })), '/oidc/consent')
})

test('a code lives a minute', async () => {
  const { fields } = await scene.arrive(await scene.signedIn(), firstParty)
  const [row] = await scene.db<Array<{ seconds: number }>>`
    select extract(epoch from max(expires_at) - now())::float8 as seconds from authorization_codes`
  assert.ok(row && row.seconds > 50 && row.seconds <= 60)
  await scene.db`update authorization_codes set expires_at = now()`
  assertError(await scene.exchange(firstParty, fields['code'] ?? '', { redirect_uri: CALLBACK }), 400, 'invalid_grant')
})
