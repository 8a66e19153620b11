import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { textOf } from '../harness/answer.ts'
import { assertErrorPage, CALLBACK, pathOf, query, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const OUT = 'https://client.example/signed-out'
const application = await scene.client({ firstParty: true, postLogoutRedirectUris: [OUT] })
const url = `${scene.url}/oidc/logout`

test('302 with Location equal to post_logout_redirect_uri plus state, for a valid id_token_hint', async () => {
  const { browser, idToken } = await signedInAtApplication()
  const answer = await browser.get(
    `${url}?${query({ id_token_hint: idToken, post_logout_redirect_uri: OUT, state: 'x y' })}`,
  )
  assert.equal(answer.status, 302)
  assert.equal(answer.headers.get('location'), `${OUT}?state=x%20y`)
  assert.ok(!(await isSignedIn(browser)))
})

test('302 without state when none was sent; client_id may be given besides', async () => {
  const { browser, idToken } = await signedInAtApplication()
  const asked = { id_token_hint: idToken, client_id: application.id, post_logout_redirect_uri: OUT }
  assert.equal((await browser.get(`${url}?${query(asked)}`)).location, OUT)
})

test('302 for logout_hint, the sid of the ID token, when id_token_hint is unavailable', async () => {
  const { browser, sid } = await signedInAtApplication()
  for (const more of [{}, { client_id: application.id }]) {
    const answer = await browser.get(`${url}?${query({ logout_hint: sid, post_logout_redirect_uri: OUT, ...more })}`)
    assert.equal(answer.location, OUT)
    assert.ok(!(await isSignedIn(browser)))
  }
})

test('200 and a page that says so when post_logout_redirect_uri is omitted; state then goes nowhere', async () => {
  const { browser, idToken } = await signedInAtApplication()
  const answer = await browser.get(`${url}?${query({ id_token_hint: idToken, state: 'x' })}`)
  assert.equal(answer.status, 200)
  assert.match(answer.text, /<h1>You are signed out<\/h1>/)
  assert.ok(!(await isSignedIn(browser)))
})

test('200 and a question when no hint is sent; the answer ends the session and is sent on', async () => {
  for (const [asked, location] of [
    [{}, null],
    [{ client_id: application.id, post_logout_redirect_uri: OUT, state: '"<&' }, `${OUT}?state=%22%3C%26`],
  ] as const) {
    const { browser } = await signedInAtApplication()
    const page = await browser.get(`${url}?${query(asked)}`)
    assert.match(page.text, /<h1>Sign out\?<\/h1>[\s\S]*Demo Nurse/)
    assert.ok(await isSignedIn(browser))
    const answer = await browser.submit(page)
    assert.equal(answer.location, location)
    assert.ok(!(await isSignedIn(browser)))
  }
})

test('POST with the same parameters: 303 to a GET, once', async () => {
  const { browser, idToken } = await signedInAtApplication()
  const fields = { id_token_hint: idToken, post_logout_redirect_uri: OUT, state: 's' }
  const posted = await new WebClient().post(url, fields, {
    origin: 'https://client.example',
    'sec-fetch-site': 'cross-site',
  })
  assert.equal(posted.status, 303)
  assert.match(posted.location ?? '', /\/oidc\/logout\?posted=[\w-]{43}$/)
  assert.equal((await browser.get(posted.location ?? '')).location, `${OUT}?state=s`)
  assert.ok(!(await isSignedIn(browser)))
  assertErrorPage(await browser.get(posted.location ?? ''), 'interaction_expired')
})

test('only this browser’s session ends, and offline refresh tokens stay alive', async () => {
  const { browser, idToken, refresh } = await signedInAtApplication()
  const elsewhere = await scene.signedIn()
  await browser.get(`${url}?${query({ id_token_hint: idToken })}`)
  assert.ok(await isSignedIn(elsewhere))
  assert.equal((await scene.refresh(application, refresh)).status, 200)
})

test('400 and a page for a URL that was not allowed for the application; the session goes on', async () => {
  const { browser, idToken } = await signedInAtApplication()
  const asked = { id_token_hint: idToken, post_logout_redirect_uri: CALLBACK }
  assertErrorPage(await browser.get(`${url}?${query(asked)}`))
  assert.ok(await isSignedIn(browser))
})

test('405 for other methods', async () => {
  const answer = await fetch(url, { method: 'DELETE' })
  assert.equal(answer.status, 405)
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST')
  await answer.text()
})

async function signedInAtApplication() {
  const browser = await scene.signedIn()
  const { fields } = await scene.arrive(browser, application, { scope: 'openid offline_access' })
  const answer = await scene.exchange(application, fields['code'] ?? '', { redirect_uri: CALLBACK })
  const idToken = textOf(answer, 'id_token')
  const { claims } = await verifiedClaims(idToken, scene.url)
  return { browser, idToken, refresh: textOf(answer, 'refresh_token'), sid: String(claims['sid']) }
}

async function isSignedIn(browser: WebClient): Promise<boolean> {
  return pathOf(await browser.copy().open(scene.address(application))) !== '/oidc/login'
}
