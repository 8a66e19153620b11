import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import {
  arrivalOf,
  assertErrorArrives,
  assertErrorPage,
  CALLBACK,
  pathOf,
  startAuthorizeScene,
} from '../harness/authorize-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const application = await scene.client({ firstParty: true, implicit: true })
const browser = await scene.signedIn()
const FROM_ELSEWHERE = { origin: 'https://client.example', 'sec-fetch-site': 'cross-site' }

test('an unknown parameter is ignored, and so are ui_locales and display (RFC 6749 3.1)', async () => {
  const more = {
    foo: 'bar',
    ui_locales: 'de-CH fr',
    display: 'popup',
    acr_values: '1',
    claims: '{}',
    RESPONSE_TYPE: 'token',
  }
  assert.ok((await scene.arrive(browser, application, more)).fields['code'])
})

test('an empty parameter counts as absent', async () => {
  const empty = {
    prompt: '',
    max_age: '',
    nonce: '',
    audience: '',
    scope: '',
    response_mode: '',
    screen_hint: '',
    login_hint: '',
  }
  const none = {
    redirect_uri: '',
    request: '',
    request_uri: '',
    id_token_hint: '',
    code_challenge: '',
    code_challenge_method: '',
  }
  assert.ok((await scene.arrive(browser, application, { ...empty, ...none })).fields['code'])
})

for (const name of [
  'response_type',
  'state',
  'nonce',
  'scope',
  'audience',
  'prompt',
  'code_challenge',
  'screen_hint',
  'foo',
]) {
  test(`invalid_request when ${name} is sent twice, though both say the same`, async () => {
    const value = name === 'response_type' ? 'code' : 'x'
    const address = scene.address(application, { [name]: value })
    assertErrorArrives(scene, await browser.get(`${address}&${name}=${value}`), 'invalid_request')
    assertErrorArrives(scene, await browser.get(`${address}&${name}=`), 'invalid_request')
  })
}

test('a page when client_id or redirect_uri is sent twice: nobody knows whom to tell', async () => {
  const address = scene.address(application)
  assertErrorPage(await browser.get(`${address}&client_id=${application.id}`))
  assertErrorPage(await browser.get(`${address}&redirect_uri=${encodeURIComponent(CALLBACK)}`))
})

test('request_not_supported and request_uri_not_supported, and nothing is fetched', async () => {
  let visits = 0
  const server = createServer((_, response) => {
    visits += 1
    response.end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const place = server.address()
  const uri = `http://127.0.0.1:${typeof place === 'object' && place !== null ? place.port : 0}/request.jwt`
  try {
    const byValue = { request: 'eyJhbGciOiJub25lIn0.e30.' }
    assertErrorArrives(scene, await scene.visit(browser, application, byValue), 'request_not_supported')
    const byReference = await scene.visit(browser, application, { request_uri: uri })
    assertErrorArrives(scene, byReference, 'request_uri_not_supported')
    const implicit = { request_uri: uri, response_type: 'id_token' }
    assertErrorArrives(
      scene,
      await scene.visit(browser, application, implicit),
      'request_uri_not_supported',
      'form_post',
    )
    assert.equal(visits, 0)
  } finally {
    server.close()
  }
})

test('screen_hint=signup leads to the sign-up page, any other value to sign-in, and who is signed in to neither', async () => {
  const first = await new WebClient().get(scene.address(application, { screen_hint: 'signup' }))
  assert.match(first.location ?? '', /\/oidc\/signup\?interaction=[\w-]{43}$/)
  assert.equal(pathOf(await scene.visit(new WebClient(), application, { screen_hint: 'login' })), '/oidc/login')
  assert.ok((await scene.arrive(browser, application, { screen_hint: 'signup' })).fields['code'])
})

test('a suspended application gets unauthorized_client', async () => {
  const suspended = await scene.client({ suspended: true })
  assertErrorArrives(scene, await scene.visit(browser, suspended), 'unauthorized_client')
})

test('POST: 303 to a GET with a one-time handle, because Lax cookies do not travel on a cross-site POST', async () => {
  const fields = {
    client_id: application.id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 's & t',
    scope: 'openid',
  }
  const posted = await new WebClient().post(`${scene.url}/oidc/authorize`, fields, FROM_ELSEWHERE)
  assert.equal(posted.status, 303)
  assert.match(posted.location ?? '', /\/oidc\/authorize\?posted=[\w-]{43}$/)
  assert.deepEqual(posted.headers.getSetCookie(), [])
  const arrival = arrivalOf(await browser.get(posted.location ?? ''))
  assert.ok(arrival.fields['code'])
  assert.equal(arrival.fields['state'], 's & t')
  assertErrorPage(await browser.get(posted.location ?? ''), 'interaction_expired')
})

test('POST: the handle lives two minutes, and is good for its own path alone', async () => {
  const fields = { client_id: application.id, response_type: 'code' }
  const first = await browser.post(`${scene.url}/oidc/authorize`, fields, FROM_ELSEWHERE)
  assertErrorPage(await browser.get((first.location ?? '').replace('/authorize?', '/logout?')), 'interaction_expired')
  assert.ok(arrivalOf(await browser.get(first.location ?? '')).fields['code'], 'and it is still good there')
  const late = await browser.post(`${scene.url}/oidc/authorize`, fields, FROM_ELSEWHERE)
  await scene.db`update posted_parameters set expires_at = now()`
  assertErrorPage(await browser.get(late.location ?? ''), 'interaction_expired')
  assertErrorPage(await browser.get(`${scene.url}/oidc/authorize?posted=${'x'.repeat(43)}`), 'interaction_expired')
})

test('POST: through sign-in and consent, with errors as a GET has them', async () => {
  const thirdParty = await scene.client()
  const person = new WebClient()
  const post = (more: Record<string, string>) =>
    person.post(
      `${scene.url}/oidc/authorize`,
      { client_id: thirdParty.id, response_type: 'code', ...more },
      FROM_ELSEWHERE,
    )
  const login = await person.follow(await post({ state: 'x'.repeat(4_096) }))
  const consent = await scene.signIn(person, login)
  assert.equal(pathOf(consent), '/oidc/consent')
  const { fields } = arrivalOf(await person.send(consent, { decision: 'allow' }))
  assert.equal(fields['state'], 'x'.repeat(4_096))
  assertErrorArrives(scene, await person.follow(await post({ response_type: 'x' })), 'unsupported_response_type')
  assertErrorPage(await person.follow(await post({ redirect_uri: 'https://evil.example' })))
})

test('other methods, other media types and bodies that are too large are answered with a page', async () => {
  const url = `${scene.url}/oidc/authorize`
  const put = await fetch(url, { method: 'PUT' })
  assert.equal(put.status, 405)
  assert.equal(put.headers.get('allow'), 'GET, HEAD, POST')
  const json = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  assert.equal(json.status, 415)
  const large = await new WebClient().post(url, { state: 'x'.repeat(70_000) })
  assert.equal(large.status, 413)
  for (const answer of [put, json]) assert.match(await answer.text(), /<h1>/)
})

test('what an error page does not say is in the log, under its request id', async () => {
  const answer = await browser.get(scene.address(application, { redirect_uri: 'https://evil.example' }))
  const id = answer.headers.get('x-request-id') ?? ''
  assert.ok(!answer.text.includes('not registered'))
  assert.ok(scene.service.logged.some((line) => line.includes(id) && line.includes('redirect_uri is not registered')))
})
