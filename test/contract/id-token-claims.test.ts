import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { textOf } from '../harness/answer.ts'
import { startTokenScene } from '../harness/token-scene.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'

const scene = await startTokenScene()
after(scene.service.stop)
await scene.db`update users set picture = 'https://cdn.example/nurse.png' where id = ${scene.nurse.id}`
const application = await scene.application()

async function idToken(more: Parameters<typeof scene.code>[1] = {}, of = application) {
  const answer = await scene.exchange(of, await scene.code(of, more))
  return {
    ...(await verifiedClaims(textOf(answer, 'id_token'), scene.url)),
    accessToken: textOf(answer, 'access_token'),
  }
}

test('with every scope: all the claims of the contract', async () => {
  const authTime = new Date(Date.now() - 90_000)
  const { header, claims } = await idToken({
    scope: ['openid', 'profile', 'email', 'phone', 'address', 'role'],
    nonce: 'n-0S6_WzA2Mj',
    sid: 'ses_public',
    authTime,
  })
  const { iat = 0, exp = 0, at_hash: _, ...rest } = claims
  assert.deepEqual(rest, {
    iss: `${scene.url}/oidc`,
    aud: application.id,
    nonce: 'n-0S6_WzA2Mj',
    sid: 'ses_public',
    sub: scene.nurse.id,
    name: 'Demo Nurse',
    nickname: 'Nurse',
    picture: 'https://cdn.example/nurse.png',
    phone_number: '+15550100001',
    phone_number_verified: true,
    email: 'nurse@example.com',
    email_verified: true,
    role: 'NURSE_USER',
    address: { city: 'Portland', state: 'OR', locality: 'Portland', region: 'OR' },
    auth_time: Math.floor(authTime.getTime() / 1_000),
  })
  assert.equal(exp - iat, 3_600)
  assert.equal(header.alg, 'RS256')
  assert.equal(header.typ, 'JWT')
})

test('with openid alone: who it is, and nothing about them', async () => {
  const { claims } = await idToken({ scope: ['openid'] })
  assert.deepEqual(Object.keys(claims).toSorted(), ['at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sid', 'sub'])
})

test('the nonce comes back unchanged, whatever it is made of', async () => {
  for (const nonce of ['a', '"\\\u00e9\u{1f600}<script>', 'x'.repeat(1_000)]) {
    assert.equal((await idToken({ nonce })).claims['nonce'], nonce)
  }
})

test('the same claims as userinfo gives for the same scope', async () => {
  for (const scope of [
    ['openid', 'name'],
    ['openid', 'email', 'role'],
    ['openid', 'profile', 'address', 'phone'],
  ]) {
    const { claims, accessToken } = await idToken({ scope })
    const { aud: _, iss: __, iat: ___, exp: ____, sid, auth_time, at_hash, ...personal } = claims
    assert.ok(sid && auth_time && at_hash)
    assert.deepEqual((await scene.userinfo(accessToken)).body, personal)
  }
})

for (const [algorithm, hash] of [
  ['RS256', 'sha256'],
  ['ES256', 'sha256'],
  ['EdDSA', 'sha512'],
] as const) {
  test(`an application set to ${algorithm}: signed so, and at_hash by ${hash} (OpenID Core 3.1.3.6)`, async () => {
    const of = await scene.application({ idTokenAlgorithm: algorithm })
    const { header, claims, accessToken } = await idToken({}, of)
    assert.equal(header.alg, algorithm)
    const digest = createHash(hash).update(accessToken).digest()
    assert.equal(claims['at_hash'], digest.subarray(0, digest.length / 2).toString('base64url'))
  })
}
