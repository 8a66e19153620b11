import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { secretHash } from '../../src/platform/opaque-secret.ts'
import { assertError, textOf } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db } = scene

test('200: a new access_token, an id_token and a new refresh_token', async () => {
  const application = await scene.application()
  const first = await scene.grant(application)
  const answer = await scene.refresh(application, first.refresh)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body).toSorted(), [
    'access_token',
    'expires_in',
    'id_token',
    'refresh_token',
    'scope',
    'token_type',
  ])
  assert.notEqual(textOf(answer, 'access_token'), first.access)
  assert.match(textOf(answer, 'refresh_token'), /^[A-Za-z0-9_-]{43}$/)
  assert.notEqual(textOf(answer, 'refresh_token'), first.refresh)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('400 invalid_grant for the one that was consumed: it cannot be used again', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  await scene.refresh(application, refresh)
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
})

test('200 without scope: the original scopes; with fewer: those, and the successor keeps all of them', async () => {
  const scope = ['openid', 'profile', 'email', 'offline_access']
  const application = await scene.application()
  const { refresh } = await scene.grant(application, { scope })
  const reduced = await scene.refresh(application, refresh, { scope: 'email openid' })
  assert.equal(reduced.body['scope'], 'email openid')
  assert.equal(decodeJwt(textOf(reduced, 'access_token'))['scope'], 'email openid')
  assert.deepEqual(Object.keys((await scene.userinfo(textOf(reduced, 'access_token'))).body).toSorted(), [
    'email',
    'email_verified',
    'sub',
  ])
  const full = await scene.refresh(application, textOf(reduced, 'refresh_token'))
  assert.equal(full.body['scope'], scope.join(' '))
})

test('400 invalid_scope for more than the original, and the token is left as it was', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application, { scope: ['openid', 'offline_access'] })
  for (const scope of ['openid email', 'marketplace:write', 'openid unknown', '"', '{}', 'NULL', '\\']) {
    assertError(await scene.refresh(application, refresh, { scope }), 400, 'invalid_scope')
  }
  assert.equal((await scene.refresh(application, refresh)).status, 200)
})

test('200 keeps the audience through rotation', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application, {
    audience: PRODUCTION,
    scope: ['openid', 'offline_access', 'marketplace:read'],
  })
  let last = refresh
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = await scene.refresh(application, last)
    assert.deepEqual(decodeJwt(textOf(answer, 'access_token')).aud, [PRODUCTION, application.id])
    last = textOf(answer, 'refresh_token')
  }
})

test('the ID token keeps iss, sub, aud, sid, auth_time, has a new iat and no nonce (OpenID Core 12.2)', async () => {
  const application = await scene.application()
  const authTime = new Date(Date.now() - 600_000)
  const first = await scene.exchange(application, await scene.code(application, { nonce: 'n-0S6_WzA2Mj', authTime }))
  const before = decodeJwt(textOf(first, 'id_token'))
  assert.equal(before['nonce'], 'n-0S6_WzA2Mj')
  const renewed = decodeJwt(textOf(await scene.refresh(application, textOf(first, 'refresh_token')), 'id_token'))
  for (const name of ['iss', 'sub', 'aud', 'sid', 'auth_time']) assert.deepEqual(renewed[name], before[name], name)
  assert.equal(renewed['nonce'], undefined)
  assert.ok(Number(renewed.iat) >= Number(before.iat))
  assert.equal(renewed['auth_time'], Math.floor(authTime.getTime() / 1_000))
})

test('30 days by default, from the first token of the family: rotation does not extend it', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  const days = async () => {
    const [row] = await db<[{ days: number; families: number }]>`
      select max(extract(epoch from expires_at - created_at))::float8 / 86400 as days, count(*)::int as families
      from refresh_families where application_id = ${application.id}`
    return { ...row }
  }
  assert.deepEqual(await days(), { days: 30, families: 1 })
  await scene.refresh(application, refresh)
  assert.deepEqual(await days(), { days: 30, families: 1 })
})

test('400 invalid_grant after the lifetime, however often it was rotated', async () => {
  const application = await scene.application({ refreshLifetimeSeconds: 100 })
  const { refresh } = await scene.grant(application)
  const successor = textOf(await scene.refresh(application, refresh), 'refresh_token')
  await db`update refresh_families set expires_at = now() where application_id = ${application.id}`
  assertError(await scene.refresh(application, successor), 400, 'invalid_grant')
})

test('200 with the longer lifetime that support set', async () => {
  const application = await scene.application({ refreshLifetimeSeconds: 90 * 86_400 })
  await scene.grant(application)
  const [row] = await db`
    select expires_at > now() + interval '89 days' as longer from refresh_families where application_id = ${application.id}`
  assert.equal(row?.['longer'], true)
})

test('200 non-rotating, where support set it: the same token comes back and can be used again', async () => {
  const application = await scene.application({ refreshRotating: false })
  const { refresh } = await scene.grant(application)
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await scene.refresh(application, refresh)
    assert.equal(textOf(answer, 'refresh_token'), refresh)
    assert.ok(textOf(answer, 'id_token'))
  }
  assertError(await scene.refresh(application, refresh, { scope: 'phone' }), 400, 'invalid_scope')
  await db`update refresh_families set expires_at = now() where application_id = ${application.id}`
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
})

test('200 for a public application without a secret; 401 for a confidential one without it', async () => {
  const open = await scene.application({ type: 'native' })
  const { refresh } = await scene.grant(await scene.application())
  const code = await scene.code(open, { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
  const first = await scene.exchange(open, code, { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })
  assert.equal((await scene.refresh(open, textOf(first, 'refresh_token'))).status, 200)
  const closed = await scene.application()
  assertError(await scene.refresh(closed, refresh, { client_secret: null }), 401, 'invalid_client')
})

test('400 invalid_grant for an unknown token, and for one whose person was blocked', async () => {
  const application = await scene.application()
  assertError(await scene.refresh(application, 'made-up'), 400, 'invalid_grant')
  const [other] = await db<[{ id: string }]>`select id from users where email = 'nurse2@example.com'`
  const rotating = await scene.grant(application, { userId: other.id })
  const fixed = await scene.application({ refreshRotating: false })
  const kept = await scene.grant(fixed, { userId: other.id })
  await db`update users set blocked_at = now() where id = ${other.id}`
  assertError(await scene.refresh(application, rotating.refresh), 400, 'invalid_grant')
  assertError(await scene.refresh(fixed, kept.refresh), 400, 'invalid_grant')
})

test('400 invalid_request without refresh_token', async () => {
  const application = await scene.application()
  assertError(await scene.token(application, { grant_type: 'refresh_token' }), 400, 'invalid_request')
})

test('a renewed token says what the person is called now', async () => {
  const application = await scene.application()
  const [other] = await db<[{ id: string }]>`select id from users where email = 'facility2@example.com'`
  const { refresh } = await scene.grant(application, {
    userId: other.id,
    scope: ['openid', 'profile', 'offline_access'],
  })
  await db`update users set name = 'New Name' where id = ${other.id}`
  assert.equal(decodeJwt(textOf(await scene.refresh(application, refresh), 'id_token'))['name'], 'New Name')
})

test('the successor is stored as its hash, linked to its predecessor', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  const successor = textOf(await scene.refresh(application, refresh), 'refresh_token')
  const [row] = await db<Array<{ predecessor_hash: Buffer | null }>>`
    select predecessor_hash from refresh_tokens where token_hash = ${secretHash(successor)}`
  assert.deepEqual(row?.predecessor_hash, secretHash(refresh))
})
