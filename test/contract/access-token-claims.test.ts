import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { textOf } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene } from '../harness/token-scene.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const application = await scene.application({ clientCredentials: true })

async function accessToken(more: Parameters<typeof scene.code>[1] = {}) {
  const answer = await scene.exchange(application, await scene.code(application, more))
  return verifiedClaims(textOf(answer, 'access_token'), scene.url)
}

test('a person’s token has the contract’s claims, and jti, client_id, sid', async () => {
  const asked = Math.floor(Date.now() / 1_000)
  const { header, claims } = await accessToken({ scope: ['openid', 'email'], sid: 'ses_public' })
  const { iat = 0, exp = 0, jti = '', ...rest } = claims
  assert.deepEqual(rest, {
    iss: `${scene.url}/oidc`,
    sub: scene.nurse.id,
    role: 'NURSE_USER',
    aud: application.id,
    azp: application.id,
    client_id: application.id,
    scope: 'openid email',
    sid: 'ses_public',
  })
  assert.ok(iat >= asked && iat <= Date.now() / 1_000)
  assert.equal(exp - iat, 3_600)
  assert.ok(jti.length >= 22)
  assert.equal(header.typ, 'at+jwt')
  assert.equal(header.alg, 'ES256')
})

test('with an audience, aud is the API and the Client ID', async () => {
  const { claims } = await accessToken({ audience: PRODUCTION, scope: ['openid', 'marketplace:read'] })
  assert.deepEqual(claims.aud, [PRODUCTION, application.id])
})

test('role is there without the scope role, for a facility user too', async () => {
  const [facility] = await scene.db<[{ id: string }]>`select id from users where username = 'facility'`
  const { claims } = await accessToken({ userId: facility.id, scope: ['openid'] })
  assert.equal(claims['role'], 'FACILITY_USER')
  assert.equal(claims['email'], undefined, 'and nothing else about the person')
})

test('an application’s own token has sub app:<client_id>, and neither role nor sid', async () => {
  const answer = await scene.token(application, { grant_type: 'client_credentials', audience: PRODUCTION })
  const { header, claims } = await verifiedClaims(textOf(answer, 'access_token'), scene.url)
  const { iat = 0, exp = 0, jti = '', ...rest } = claims
  assert.deepEqual(rest, {
    iss: `${scene.url}/oidc`,
    sub: `app:${application.id}`,
    aud: [PRODUCTION, application.id],
    azp: application.id,
    client_id: application.id,
    scope: 'marketplace:read marketplace:write',
  })
  assert.equal(exp - iat, 3_600)
  assert.ok(jti)
  assert.equal(header.typ, 'at+jwt')
})

test('no two tokens have the same jti', async () => {
  const tokens = await Promise.all([accessToken(), accessToken(), accessToken()])
  assert.equal(new Set(tokens.map(({ claims }) => claims.jti)).size, 3)
})

test('the operator chooses the algorithm', async () => {
  const other = await startTokenScene({ HANDOVER_ACCESS_TOKEN_ALGORITHM: 'EdDSA' })
  try {
    const { access } = await other.grant(await other.application())
    assert.equal((await verifiedClaims(access, other.url)).header.alg, 'EdDSA')
    assert.equal((await other.userinfo(access)).status, 200)
  } finally {
    await other.service.stop()
  }
})
