import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { ask, assertError, postForm, textOf } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db } = scene
const url = `${scene.url}/oidc/oauth/introspect`

test('200 active for an access token, with what it says', async () => {
  const application = await scene.application()
  const { access } = await scene.grant(application, {
    audience: PRODUCTION,
    scope: ['openid', 'marketplace:read', 'offline_access'],
  })
  const answer = await scene.introspect(application, access)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { jti, iat, exp, sid } = decodeJwt(access)
  assert.deepEqual(answer.body, {
    active: true,
    token_type: 'Bearer',
    iss: `${scene.url}/oidc`,
    sub: scene.nurse.id,
    aud: [PRODUCTION, application.id],
    client_id: application.id,
    scope: 'openid marketplace:read offline_access',
    jti,
    sid,
    iat,
    exp,
  })
})

test('200 active for an application’s own token', async () => {
  const application = await scene.application({ clientCredentials: true })
  const got = await scene.token(application, { grant_type: 'client_credentials', audience: PRODUCTION })
  const answer = await scene.introspect(application, textOf(got, 'access_token'))
  assert.equal(answer.body['active'], true)
  assert.equal(answer.body['sub'], `app:${application.id}`)
  assert.equal(answer.body['sid'], undefined)
})

test('200 active for a refresh token until it is consumed', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  const { exp, ...rest } = (await scene.introspect(application, refresh)).body
  assert.deepEqual(rest, {
    active: true,
    iss: `${scene.url}/oidc`,
    sub: scene.nurse.id,
    client_id: application.id,
    scope: 'openid offline_access',
  })
  assert.ok(Math.abs(Number(exp) - Date.now() / 1_000 - 30 * 86_400) < 10)
  await scene.refresh(application, refresh)
  assert.deepEqual((await scene.introspect(application, refresh)).body, { active: false })
})

test('200 inactive, and nothing more, for what is unknown, expired, or another application’s', async () => {
  const [application, other] = [await scene.application(), await scene.application()]
  const { access, refresh } = await scene.grant(other)
  const expired = await scene.grant(application)
  await db`update refresh_families set expires_at = now() where application_id = ${application.id}`
  for (const token of ['made-up', 'a.b.c', access, refresh, expired.refresh]) {
    const answer = await scene.introspect(application, token)
    assert.equal(answer.status, 200)
    assert.equal(answer.text, '{"active":false}')
  }
})

test('200 by HTTP Basic', async () => {
  const application = await scene.application()
  const { access } = await scene.grant(application)
  const authorization = `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`
  assert.equal((await postForm(url, { token: access }, { authorization })).body['active'], true)
})

test('401 for an application without a secret, and for a wrong one', async () => {
  const open = await scene.application({ type: 'spa' })
  assertError(await scene.introspect(open, 'x'), 401, 'invalid_client')
  const closed = await scene.application()
  assertError(await scene.introspect({ ...closed, secret: 'wrong' }, 'x'), 401, 'invalid_client')
  assertError(await scene.introspect({ ...closed, secret: null }, 'x'), 401, 'invalid_client')
})

test('400 invalid_request without a token; 405 for GET, so that no token stands in a URL', async () => {
  assertError(await scene.introspect(await scene.application(), ''), 400, 'invalid_request')
  assert.equal((await ask(`${url}?token=x`)).status, 405)
})
