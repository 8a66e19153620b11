import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { assertError, textOf } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db, password } = scene
const application = await scene.application({ passwordGrant: true })
const signIn = (fields: Record<string, string | null>, who = application) =>
  scene.token(who, { grant_type: 'password', username: 'nurse@example.com', password, ...fields })

test('200 with an e-mail: an access token, never an ID token, no refresh token without offline_access', async () => {
  const answer = await signIn({ scope: 'openid profile email' })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type'])
  assert.equal(answer.body['scope'], 'openid profile email')
  assert.equal(answer.body['token_type'], 'Bearer')
  const userinfo = await scene.userinfo(textOf(answer, 'access_token'))
  assert.equal(userinfo.body['email'], 'nurse@example.com')
})

test('200 with a username, in any case, and an e-mail in any case', async () => {
  for (const username of ['nurse', 'NURSE', ' Nurse ', 'Nurse@Example.COM']) {
    const answer = await signIn({ username })
    assert.equal(decodeJwt(textOf(answer, 'access_token')).sub, scene.nurse.id)
  }
})

test('200 with offline_access: a refresh token that works, and never an ID token here', async () => {
  const answer = await signIn({ scope: 'openid offline_access' })
  assert.equal(answer.body['id_token'], undefined)
  const renewed = await scene.refresh(application, textOf(answer, 'refresh_token'))
  assert.equal(renewed.status, 200)
  assert.ok(textOf(renewed, 'id_token'), 'the refresh grant has one (contract, Response contents per grant)')
})

test('200 with an audience: the API and the application are the audience; scope omitted means all API scopes', async () => {
  const answer = await signIn({ audience: PRODUCTION })
  assert.equal(answer.body['scope'], 'openid marketplace:read marketplace:write')
  assert.deepEqual(decodeJwt(textOf(answer, 'access_token')).aud, [PRODUCTION, application.id])
})

test('200 without an audience: scope omitted means openid, and marketplace scopes are dropped', async () => {
  assert.equal((await signIn({})).body['scope'], 'openid')
  assert.equal((await signIn({ scope: 'openid marketplace:read' })).body['scope'], 'openid')
})

test('200 with unknown scopes: they are ignored and absent from what is granted', async () => {
  const answer = await signIn({ scope: 'openid admin openid  email "\\{}' })
  assert.equal(answer.body['scope'], 'openid email')
})

test('200 for an application set to none without a secret; the secret is required where it is post or basic', async () => {
  const open = await scene.application({ passwordGrant: true, type: 'native' })
  assert.equal((await signIn({}, open)).status, 200)
  for (const method of ['post', 'basic', 'either'] as const) {
    const closed = await scene.application({ passwordGrant: true, tokenEndpointAuthentication: method })
    assertError(await signIn({ client_secret: null }, closed), 401, 'invalid_client')
  }
})

test('400 unauthorized_client for an application without the grant', async () => {
  const answer = await signIn({}, await scene.application())
  assertError(answer, 400, 'unauthorized_client')
  assert.match(String(answer.body['error_description']), /password/)
})

test('400 invalid_grant for a wrong password, somebody unknown, blocked or without a password: the same body', async () => {
  await db`update users set blocked_at = now() where email = 'facility2@example.com'`
  await db`update users set password_hash = null where email = 'nurse2@example.com'`
  const answers = [
    await signIn({ password: 'wrong' }),
    await signIn({ username: 'nobody@example.com' }),
    await signIn({ username: 'nobody' }),
    await signIn({ username: 'facility2@example.com' }),
    await signIn({ username: 'nurse2@example.com' }),
  ]
  for (const answer of answers) assertError(answer, 400, 'invalid_grant')
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
})

test('400 invalid_request without username or password', async () => {
  assertError(await signIn({ username: null }), 400, 'invalid_request')
  assertError(await signIn({ password: null }), 400, 'invalid_request')
  assertError(await signIn({ password: '' }), 400, 'invalid_request')
})

test('400 invalid_target for an audience that is unknown or not the application’s', async () => {
  assertError(await signIn({ audience: 'https://elsewhere.example' }), 400, 'invalid_target')
  const sandboxOnly = await scene.application({ passwordGrant: true, environments: ['sandbox'] })
  assertError(await signIn({ audience: PRODUCTION }, sandboxOnly), 400, 'invalid_target')
})

test('a password with characters outside ASCII works composed and decomposed', async () => {
  const passwordHash = await scene.service.deps.passwords.hash('Pässwörd-näme 1')
  await db`update users set password_hash = ${passwordHash} where email = 'facility@example.com'`
  for (const form of ['NFC', 'NFD']) {
    const answer = await signIn({ username: 'facility', password: 'Pässwörd-näme 1'.normalize(form) })
    assert.equal(answer.status, 200)
  }
})
