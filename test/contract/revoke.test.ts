import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, assertError, postForm, textOf } from '../harness/answer.ts'
import { soon } from '../harness/soon.ts'
import { startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const url = `${scene.url}/oidc/oauth/revoke`
const revoke = (application: TestApplication, token: string | null, more: Record<string, string | null> = {}) =>
  postForm(url, { client_id: application.id, client_secret: application.secret, token, ...more })
const dies = (accessToken: string) => soon(async () => (await scene.userinfo(accessToken)).status === 401)

test('200 for a refresh token: its family and every access token of it end within a second', async () => {
  const application = await scene.application()
  const other = await scene.grant(application)
  const { access, refresh } = await scene.grant(application)
  const renewed = await scene.refresh(application, refresh)
  const answer = await revoke(application, textOf(renewed, 'refresh_token'))
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assertError(await scene.refresh(application, textOf(renewed, 'refresh_token')), 400, 'invalid_grant')
  assert.ok(await dies(access))
  assert.ok(await dies(textOf(renewed, 'access_token')))
  assert.equal((await scene.userinfo(other.access)).status, 200)
  assert.equal((await scene.refresh(application, other.refresh)).status, 200)
})

test('200 for an access token: that one ends and nothing else', async () => {
  const application = await scene.application()
  const { access, refresh } = await scene.grant(application)
  assert.equal((await revoke(application, access)).status, 200)
  assert.ok(await dies(access))
  const renewed = await scene.refresh(application, refresh)
  assert.equal((await scene.userinfo(textOf(renewed, 'access_token'))).status, 200)
})

test('200 whatever token_type_hint says, a wrong or unknown one included (RFC 7009 2.1)', async () => {
  const application = await scene.application()
  for (const hint of ['access_token', 'refresh_token', 'unknown']) {
    const { refresh } = await scene.grant(application)
    assert.equal((await revoke(application, refresh, { token_type_hint: hint })).status, 200)
    assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
  }
})

test('200 for a token that is unknown, expired, consumed or not a token at all (RFC 7009 2.2)', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  const idToken = textOf(await scene.exchange(application, await scene.code(application)), 'id_token')
  assert.equal((await revoke(application, refresh)).status, 200)
  for (const token of [refresh, 'made-up', 'a.b.c', idToken, '%00', 'é']) {
    assert.equal((await revoke(application, token)).status, 200)
  }
})

test('200 for another application’s tokens, which live on', async () => {
  const [owner, thief] = [await scene.application(), await scene.application()]
  const { access, refresh } = await scene.grant(owner)
  for (const token of [access, refresh]) assert.equal((await revoke(thief, token)).status, 200)
  assert.equal((await scene.refresh(owner, refresh)).status, 200)
  assert.ok(!(await soon(async () => (await scene.userinfo(access)).status === 401, 600)), 'nor does it die later')
})

test('200 for a public application, with its client_id alone', async () => {
  const application = await scene.application({ type: 'spa' })
  const code = await scene.code(application, { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
  const given = { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }
  const refresh = textOf(await scene.exchange(application, code, given), 'refresh_token')
  assert.equal((await revoke(application, refresh)).status, 200)
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
})

test('401 invalid_client without the secret, and the token lives on', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  assertError(await revoke(application, refresh, { client_secret: null }), 401, 'invalid_client')
  assertError(await revoke(application, refresh, { client_secret: 'wrong' }), 401, 'invalid_client')
  assert.equal((await scene.refresh(application, refresh)).status, 200)
})

test('400 invalid_request without a token; 405 for GET; 415 for JSON', async () => {
  assertError(await revoke(await scene.application(), null), 400, 'invalid_request')
  assert.equal((await ask(url)).status, 405)
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
  assert.equal((await ask(url, json)).status, 415)
})

test('CORS for registered origins', async () => {
  const origin = 'https://revoke-spa.example'
  await scene.application({ webOrigins: [origin] })
  assert.equal((await postForm(url, {}, { origin })).headers.get('access-control-allow-origin'), origin)
})
