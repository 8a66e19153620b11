import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { signJwt } from '../../src/platform/jwt.ts'
import {
  arrivalOf,
  assertErrorArrives,
  FACILITY,
  NURSE,
  type Parameters,
  pathOf,
  startAuthorizeScene,
} from '../harness/authorize-scene.ts'
import { signerOf } from '../harness/signing.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'
import { onlyForm, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const firstParty = await scene.client({ firstParty: true, implicit: true })

test('prompt=none: login_required without a session, consent_required without consent, else the code at once', async () => {
  const thirdParty = await scene.client()
  for (const mode of ['query', 'fragment', 'form_post'] as const) {
    const silent = { prompt: 'none', response_mode: mode }
    assertErrorArrives(scene, await new WebClient().get(scene.address(thirdParty, silent)), 'login_required', mode)
    const browser = await scene.signedIn(FACILITY)
    assertErrorArrives(scene, await browser.get(scene.address(thirdParty, silent)), 'consent_required', mode)
  }
  const browser = await scene.signedIn()
  await scene.arrive(browser, thirdParty)
  assert.ok(arrivalOf(await browser.get(scene.address(thirdParty, { prompt: 'none' }))).fields['code'])
  const more = { prompt: 'none', scope: 'openid email' }
  assertErrorArrives(scene, await browser.get(scene.address(thirdParty, more)), 'consent_required')
})

test('prompt=none starts nothing', async () => {
  const before = await scene.db`select count(*) from interactions`
  await new WebClient().get(scene.address(firstParty, { prompt: 'none' }))
  assert.deepEqual(await scene.db`select count(*) from interactions`, before)
})

test('prompt: none with another value is invalid_request; a value nobody knows is ignored', async () => {
  const browser = await scene.signedIn()
  for (const prompt of ['none login', 'login none', 'none consent', 'select_account none'])
    assertErrorArrives(scene, await scene.visit(browser, firstParty, { prompt }), 'invalid_request')
  for (const prompt of ['create', 'NONE', ' ', ''])
    assert.ok(arrivalOf(await scene.visit(browser, firstParty, { prompt })).fields['code'], prompt)
})

test('prompt=login asks for the password though somebody is signed in, and auth_time and sid move', async () => {
  const browser = await scene.signedIn()
  await scene.db`update sessions set auth_time = now() - interval '1 hour'`
  const asked = { response_type: 'id_token', response_mode: 'fragment' }
  const before = await idTokenOf(browser, asked)
  const page = await scene.visit(browser, firstParty, { ...asked, prompt: 'login' })
  const { fields } = arrivalOf(await scene.signIn(browser, page))
  const { claims } = await verifiedClaims(fields['id_token'] ?? '', scene.url)
  assert.ok(Number(claims['auth_time']) - Number(before['auth_time']) >= 3_590)
  assert.notEqual(claims['sid'], before['sid'])
  assert.equal((await idTokenOf(browser, asked))['auth_time'], claims['auth_time'], 'and stays where it is')
})

test('prompt=consent asks again what was allowed, also for a first-party application; together with login it asks both', async () => {
  const thirdParty = await scene.client()
  const browser = await scene.signedIn()
  await scene.arrive(browser, thirdParty)
  for (const application of [thirdParty, firstParty]) {
    const page = await scene.visit(browser, application, { prompt: 'consent' })
    assert.equal(pathOf(page), '/oidc/consent')
    assert.ok(arrivalOf(await browser.send(page, { decision: 'allow' })).fields['code'])
  }
  const login = await scene.visit(browser, thirdParty, { prompt: 'login consent' })
  assert.equal(pathOf(await scene.signIn(browser, login)), '/oidc/consent')
})

test('prompt=select_account: go on as who is signed in', async () => {
  const browser = await scene.signedIn()
  const page = await scene.visit(browser, firstParty, { prompt: 'select_account' })
  assert.equal(pathOf(page), '/oidc/select-account')
  assert.ok(page.text.includes(`Continue as Demo Nurse (${NURSE})`))
  assert.ok(arrivalOf(await browser.send(page)).fields['code'])
})

test('prompt=select_account: or as somebody else, who is then not asked again who they are', async () => {
  const asked = { prompt: 'select_account', response_type: 'id_token', response_mode: 'fragment' }
  const browser = await scene.signedIn()
  const page = await scene.visit(browser, firstParty, asked)
  const link = /href="(\/oidc\/login\?interaction=[^"]+)"/.exec(page.text)?.[1] ?? ''
  const answer = await scene.signIn(browser, await browser.open(scene.url + link), FACILITY)
  const { claims } = await verifiedClaims(arrivalOf(answer).fields['id_token'] ?? '', scene.url)
  assert.notEqual(claims.sub, scene.nurse.id)
  const nobody = new WebClient()
  const signedIn = await scene.signIn(nobody, await scene.visit(nobody, firstParty, asked))
  assert.ok(arrivalOf(signedIn).fields['id_token'], 'nor who was not signed in at all')
})

test('max_age: asks again when the login is older, and only then', async () => {
  const browser = await scene.signedIn()
  await scene.db`update sessions set auth_time = now() - interval '1000 seconds'`
  for (const max_age of ['1100', '999999999', '']) {
    assert.ok(arrivalOf(await scene.visit(browser, firstParty, { max_age })).fields['code'], max_age)
  }
  assertErrorArrives(
    scene,
    await scene.visit(browser, firstParty, { max_age: '900', prompt: 'none' }),
    'login_required',
  )
  const page = await scene.visit(browser, firstParty, { max_age: '900' })
  assert.ok(arrivalOf(await scene.signIn(browser, page)).fields['code'])
  assert.ok(arrivalOf(await scene.visit(browser, firstParty, { max_age: '900' })).fields['code'])
})

test('max_age=0 is like prompt=login, and ends', async () => {
  const browser = await scene.signedIn()
  const page = await scene.visit(browser, firstParty, { max_age: '0' })
  assert.equal(pathOf(page), '/oidc/login')
  assert.ok(arrivalOf(await scene.signIn(browser, page)).fields['code'])
})

test('max_age that is no number of seconds is invalid_request', async () => {
  for (const max_age of ['-1', '1.5', '1e3', 'x', '0x10', ' 1', '9999999999'])
    assertErrorArrives(scene, await scene.visit(new WebClient(), firstParty, { max_age }), 'invalid_request')
})

test('login_hint is filled in on the sign-in page, escaped', async () => {
  for (const hint of ['nurse@example.com', '"><script>alert(1)</script>', '']) {
    const page = await scene.visit(new WebClient(), firstParty, { login_hint: hint })
    assert.equal(onlyForm(page).fields['username'], hint)
    assert.ok(!page.text.includes('<script>'))
  }
})

test('id_token_hint: the person it names goes on, expired or not; anybody else signs in first, once', async () => {
  const asked = { response_type: 'id_token', response_mode: 'fragment' }
  const nurse = await scene.signedIn()
  const hint = arrivalOf(await scene.visit(nurse, firstParty, asked)).fields['id_token'] ?? ''
  const signer = await signerOf(scene.service, 'RS256')
  const claims = { iss: `${scene.url}/oidc`, sub: scene.nurse.id, aud: firstParty.id, sid: 'ses_old', exp: 1, iat: 0 }
  const facility = await scene.signedIn(FACILITY)
  for (const id_token_hint of [hint, await signJwt(signer, 'JWT', claims)]) {
    assert.ok(arrivalOf(await scene.visit(nurse, firstParty, { id_token_hint, prompt: 'none' })).fields['code'])
    const silent = await scene.visit(facility, firstParty, { id_token_hint, prompt: 'none' })
    assertErrorArrives(scene, silent, 'login_required')
    assert.equal(pathOf(await scene.visit(facility, firstParty, { id_token_hint })), '/oidc/login')
  }
  const page = await scene.visit(facility, firstParty, { id_token_hint: hint })
  assertErrorArrives(scene, await scene.signIn(facility, page, FACILITY), 'login_required')
  const again = await scene.visit(facility, firstParty, { id_token_hint: hint })
  assert.ok(arrivalOf(await scene.signIn(facility, again, NURSE)).fields['code'])
})

test('id_token_hint that is not ours, or another application’s, says nothing', async () => {
  const browser = await scene.signedIn(FACILITY)
  const other = await scene.client({ firstParty: true, implicit: true })
  const nurse = await scene.signedIn()
  const theirs = await scene.arrive(nurse, other, { response_type: 'id_token', response_mode: 'fragment' })
  for (const id_token_hint of ['nonsense', 'a.b.c', theirs.fields['id_token'] ?? ''])
    assert.ok(arrivalOf(await scene.visit(browser, firstParty, { id_token_hint, prompt: 'none' })).fields['code'])
})

async function idTokenOf(browser: WebClient, asked: Parameters) {
  const { fields } = arrivalOf(await scene.visit(browser, firstParty, asked))
  return (await verifiedClaims(fields['id_token'] ?? '', scene.url)).claims
}
