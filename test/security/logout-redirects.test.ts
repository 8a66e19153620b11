import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { signJwt } from '../../src/platform/jwt.ts'
import {
  assertErrorPage,
  CALLBACK,
  FACILITY,
  type Parameters,
  pathOf,
  query,
  startAuthorizeScene,
} from '../harness/authorize-scene.ts'
import { signerOf } from '../harness/signing.ts'
import { onlyForm, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const OUT = 'https://client.example/signed-out'
const settings = { firstParty: true, implicit: true, postLogoutRedirectUris: [OUT, 'https://client.example/out?a=b'] }
const application = await scene.client(settings)
const other = await scene.client({ ...settings, postLogoutRedirectUris: ['https://other.example/out'] })

const hostile: Array<[string, string]> = [
  ['unregistered', 'https://evil.example/'],
  ['a callback, which is something else', CALLBACK],
  ['another application’s', 'https://other.example/out'],
  ['a trailing slash', `${OUT}/`],
  ['another case', 'https://client.example/Signed-Out'],
  ['an added query', `${OUT}?x=1`],
  ['a fragment', `${OUT}#x`],
  ['another scheme', 'http://client.example/signed-out'],
  ['another port', 'https://client.example:444/signed-out'],
  ['userinfo', 'https://client.example@evil.example/signed-out'],
  ['path traversal', 'https://client.example/x/../signed-out'],
  ['encoded', 'https://client.example/%73igned-out'],
  ['no scheme', '//client.example/signed-out'],
  ['javascript', 'javascript:alert(1)'],
  ['line break', `${OUT}\r\nset-cookie: a=b`],
  ['markup', `${OUT}"><script>alert(1)</script>`],
]
for (const [what, uri] of hostile) {
  test(`never a redirect, and the session goes on: ${what}`, async () => {
    const { browser, idToken, sid } = await inSession()
    for (const hint of [{ id_token_hint: idToken }, { client_id: application.id }, { logout_hint: sid }, {}]) {
      const answer = await logout(browser, { ...hint, post_logout_redirect_uri: uri })
      assertErrorPage(answer)
      assert.ok(!answer.text.includes(uri) && !answer.text.includes('evil'), 'reflected')
    }
    assert.ok(await isSignedIn(browser))
    assertErrorPage(await logout(new WebClient(), { client_id: application.id, post_logout_redirect_uri: uri }))
  })
}

test('no application is named: an allowed URI is not redirected to either', async () => {
  const { browser } = await inSession()
  for (const hint of [{}, { client_id: 'app_nobody' }, { id_token_hint: 'nonsense' }, { logout_hint: 'ses_nobody' }])
    assertErrorPage(await logout(browser, { ...hint, post_logout_redirect_uri: OUT }))
  assertErrorPage(await logout(new WebClient(), { post_logout_redirect_uri: OUT }))
})

test('hint and client_id must agree', async () => {
  const { browser, idToken } = await inSession()
  for (const more of [{}, { post_logout_redirect_uri: OUT }, { post_logout_redirect_uri: 'https://other.example/out' }])
    assertErrorPage(await logout(browser, { id_token_hint: idToken, client_id: other.id, ...more }))
  assert.ok(await isSignedIn(browser))
})

test('without a valid hint of this very session the person is asked first, wherever the request comes from', async () => {
  const { browser, sid } = await inSession()
  const stranger = await inSession(FACILITY)
  const signer = await signerOf(scene.service, 'RS256')
  const claims = { iss: `${scene.url}/oidc`, sub: scene.nurse.id, aud: application.id, sid }
  for (const hint of [
    {},
    { client_id: application.id },
    { id_token_hint: 'nonsense' },
    { id_token_hint: stranger.idToken },
    { logout_hint: stranger.sid },
    { logout_hint: `${sid} ` },
    { id_token_hint: await signJwt(signer, 'JWT', { ...claims, iss: 'https://evil.example/oidc' }) },
    { id_token_hint: await signJwt(signer, 'at+jwt', claims) },
    { id_token_hint: (await signJwt(signer, 'JWT', claims)).replace(/\.[^.]+$/, '.') },
    {
      id_token_hint: `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
    },
  ]) {
    for (const answer of [await logout(browser, hint), await posted(browser, hint)]) {
      assert.equal(answer.status, 200)
      assert.match(answer.text, /<h1>Sign out\?<\/h1>/)
      assert.ok(onlyForm(answer).fields['csrf'])
    }
  }
  assert.ok(await isSignedIn(browser))
})

test('a valid hint ends the session at once, an expired one too; the old cookie is dead', async () => {
  for (const hintOf of [
    ({ idToken }: Session) => ({ id_token_hint: idToken }),
    ({ expired }: Session) => ({ id_token_hint: expired }),
    ({ sid }: Session) => ({ logout_hint: sid }),
  ]) {
    const session = await inSession()
    const before = session.browser.copy()
    const answer = await logout(session.browser, {
      ...hintOf(session),
      post_logout_redirect_uri: OUT,
      state: 'a&b=c d',
    })
    assert.equal(answer.status, 302)
    assert.equal(answer.location, `${OUT}?state=a%26b%3Dc%20d`)
    assert.equal(session.browser.cookie(scene.url, 'handover-session'), undefined)
    assert.ok(!(await isSignedIn(session.browser)))
    assert.ok(!(await isSignedIn(before)), 'the old cookie is dead')
  }
})

test('the confirmed logout goes where the request said, and is checked again', async () => {
  const { browser } = await inSession()
  const before = browser.copy()
  const asked = await logout(browser, { client_id: application.id, post_logout_redirect_uri: OUT, state: 's' })
  const forged = {
    ...onlyForm(asked).fields,
    query: query({ client_id: application.id, post_logout_redirect_uri: 'https://evil.example' }),
  }
  assertErrorPage(await browser.post(`${scene.url}/oidc/logout/confirm`, forged))
  assert.ok(await isSignedIn(browser))
  const answer = await browser.submit(asked)
  assert.equal(answer.location, `${OUT}?state=s`)
  assert.ok(!(await isSignedIn(before)))
})

test('logout_hint alone returns only to an application that got tokens in that session', async () => {
  const { browser, sid } = await inSession()
  const theirs = { logout_hint: sid, post_logout_redirect_uri: 'https://other.example/out' }
  assertErrorPage(await logout(browser, theirs))
  await scene.arrive(browser, other)
  assert.equal((await logout(browser, theirs)).location, 'https://other.example/out')
})

test('a hint of another session ends neither; it may name the application', async () => {
  const mine = await inSession()
  const theirs = await inSession(FACILITY)
  const answer = await logout(mine.browser, { id_token_hint: theirs.idToken, post_logout_redirect_uri: OUT })
  assert.match(answer.text, /<h1>Sign out\?<\/h1>/)
  assert.ok(await isSignedIn(mine.browser))
  assert.ok(await isSignedIn(theirs.browser))
})

test('without a session the redirect happens at once if it is allowed', async () => {
  const { idToken } = await inSession()
  for (const hint of [{ client_id: application.id }, { id_token_hint: idToken }]) {
    const answer = await logout(new WebClient(), { ...hint, post_logout_redirect_uri: OUT, state: 'x' })
    assert.equal(answer.location, `${OUT}?state=x`)
  }
  assert.match((await logout(new WebClient(), {})).text, /<h1>You are signed out<\/h1>/)
})

test('state: up to 4 KB as it came, with a query that is registered; control characters and repetition are refused', async () => {
  const at = { client_id: application.id, post_logout_redirect_uri: 'https://client.example/out?a=b' }
  const state = '☃&=#%\'"<>+ '.repeat(300)
  const answer = await logout(new WebClient(), { ...at, state })
  assert.ok(answer.location?.startsWith('https://client.example/out?a=b&state='))
  assert.equal(new URL(answer.location ?? '').searchParams.get('state'), state)
  for (const bad of ['a\r\nb', 'a\u0007', 'x'.repeat(4_097)])
    assertErrorPage(await logout(new WebClient(), { ...at, state: bad }))
  assertErrorPage(await new WebClient().get(`${scene.url}/oidc/logout?${query({ ...at, state: 'a' })}&state=b`))
  assertErrorPage(await new WebClient().get(`${scene.url}/oidc/logout?${query(at)}&post_logout_redirect_uri=x`))
})

type Session = { browser: WebClient; idToken: string; expired: string; sid: string }

/** Somebody signed in, with an ID token that the application got in that session. */
async function inSession(login?: string): Promise<Session> {
  const browser = await scene.signedIn(login)
  const { fields } = await scene.arrive(browser, application, { response_type: 'id_token', response_mode: 'fragment' })
  const idToken = fields['id_token'] ?? ''
  const claims: unknown = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString())
  assert.ok(typeof claims === 'object' && claims !== null && 'sid' in claims && typeof claims.sid === 'string')
  const { sid } = claims
  const signer = await signerOf(scene.service, 'RS256')
  const expired = await signJwt(signer, 'JWT', { ...claims, iat: 0, exp: 3_600 })
  return { browser, idToken, expired, sid }
}

function logout(browser: WebClient, fields: Parameters): Promise<WebAnswer> {
  return browser.get(`${scene.url}/oidc/logout?${query(fields)}`)
}

async function posted(browser: WebClient, fields: Parameters): Promise<WebAnswer> {
  return browser.follow(
    await browser.post(`${scene.url}/oidc/logout`, fields, {
      origin: 'https://client.example',
      'sec-fetch-site': 'cross-site',
    }),
  )
}

async function isSignedIn(browser: WebClient): Promise<boolean> {
  return pathOf(await browser.copy().open(scene.address(application))) !== '/oidc/login'
}
