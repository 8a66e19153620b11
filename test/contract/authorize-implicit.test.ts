import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { type Arrival, assertErrorArrives, CALLBACK, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { PRODUCTION } from '../harness/token-scene.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const application = await scene.client({ implicit: true, firstParty: true })
const strict = await scene.client({ implicit: true, firstParty: true, strictOidc: true })
const browser = await scene.signedIn()

const withAccess = ['access_token', 'expires_in', 'iss', 'scope', 'state', 'token_type']
const types: Array<[string, string[]]> = [
  ['token', withAccess],
  ['id_token', ['id_token', 'iss', 'state']],
  ['token id_token', [...withAccess, 'id_token'].toSorted()],
  ['id_token token', [...withAccess, 'id_token'].toSorted()],
]
for (const [type, names] of types) {
  for (const mode of [null, 'form_post', 'fragment'] as const) {
    test(`response_type=${type}, response_mode=${mode ?? 'left out: form_post'}`, async () => {
      const asked = { response_type: type, response_mode: mode, nonce: 'n1', scope: 'openid email offline_access' }
      const arrival = await scene.arrive(browser, application, asked)
      assert.equal(arrival.mode, mode ?? 'form_post')
      assert.equal(arrival.target, CALLBACK)
      assert.deepEqual(Object.keys(arrival.fields).toSorted(), names)
      assert.equal(arrival.fields['state'], 'st')
      assert.equal(arrival.fields['iss'], `${scene.url}/oidc`)
      await assertTokens(arrival, application.id)
    })
  }

  test(`response_type=${type}: query delivery is not possible; the error does not travel in the query either`, async () => {
    for (const [who, mode] of [
      [application, 'form_post'],
      [strict, 'fragment'],
    ] as const) {
      const asked = { response_type: type, response_mode: 'query', nonce: 'n1' }
      assertErrorArrives(scene, await scene.visit(browser, who, asked), 'invalid_request', mode)
      const unknown = { ...asked, response_mode: 'web_message' }
      assertErrorArrives(scene, await scene.visit(browser, who, unknown), 'invalid_request', mode)
    }
  })

  test(`response_type=${type}: unauthorized_client while implicit is off, as it is by default`, async () => {
    const off = await scene.client({ firstParty: true })
    const answer = await scene.visit(browser, off, { response_type: type, nonce: 'n1' })
    assertErrorArrives(scene, answer, 'unauthorized_client', 'form_post')
    const fragment = await scene.visit(browser, off, { response_type: type, nonce: 'n1', response_mode: 'fragment' })
    assertErrorArrives(scene, fragment, 'unauthorized_client', 'fragment')
  })

  test(`response_type=${type}: with strict_oidc the default mode is fragment`, async () => {
    const arrival = await scene.arrive(browser, strict, { response_type: type, nonce: 'n1' })
    assert.equal(arrival.mode, 'fragment')
    await assertTokens(arrival, strict.id)
  })
}

test('nonce is required for token id_token, and with strict_oidc wherever an ID token comes from /authorize', async () => {
  for (const nonce of [null, '']) {
    for (const type of ['token id_token', 'id_token token']) {
      const answer = await scene.visit(browser, application, { response_type: type, nonce })
      assertErrorArrives(scene, answer, 'invalid_request', 'form_post')
    }
    const strictly = await scene.visit(browser, strict, { response_type: 'id_token', nonce })
    assertErrorArrives(scene, strictly, 'invalid_request', 'fragment')
  }
  const { fields } = await scene.arrive(browser, application, { response_type: 'id_token', nonce: null })
  assert.equal((await verifiedClaims(fields['id_token'] ?? '', scene.url)).claims['nonce'], undefined)
  assert.ok((await scene.arrive(browser, strict, { response_type: 'token', nonce: null })).fields['access_token'])
})

test('nonce comes back unchanged', async () => {
  for (const nonce of ['x'.repeat(1_024), '"<>&%+ ü☃', "' or 1=1"]) {
    const { fields } = await scene.arrive(browser, application, { response_type: 'id_token', nonce })
    assert.equal((await verifiedClaims(fields['id_token'] ?? '', scene.url)).claims['nonce'], nonce)
  }
})

test('the access token works at userinfo, and carries the audience that was asked for', async () => {
  const asked = { response_type: 'token', scope: 'openid email marketplace:read', audience: PRODUCTION }
  const token = (await scene.arrive(browser, application, asked)).fields['access_token'] ?? ''
  assert.equal((await scene.userinfo(token)).body['email'], 'nurse@example.com')
  const { header, claims } = await verifiedClaims(token, scene.url)
  assert.equal(header.typ, 'at+jwt')
  assert.deepEqual(claims.aud, [PRODUCTION, application.id])
  assert.equal(claims['scope'], 'openid email marketplace:read')
  assert.equal(claims['role'], 'NURSE_USER')
})

for (const [algorithm, hash, bytes] of [
  ['RS256', 'sha256', 16],
  ['ES256', 'sha256', 16],
  ['EdDSA', 'sha512', 32],
] as const) {
  test(`at_hash with ${algorithm} is the left half of ${hash} (OpenID Core 3.2.2.9)`, async () => {
    const own = await scene.client({ implicit: true, firstParty: true, idTokenAlgorithm: algorithm })
    const { fields } = await scene.arrive(browser, own, { response_type: 'token id_token', nonce: 'n' })
    const { header, claims } = await verifiedClaims(fields['id_token'] ?? '', scene.url)
    const digest = createHash(hash)
      .update(fields['access_token'] ?? '')
      .digest()
    assert.equal(header.alg, algorithm)
    assert.equal(claims['at_hash'], digest.subarray(0, bytes).toString('base64url'))
  })
}

test('through sign-in and consent by form_post', async () => {
  const thirdParty = await scene.client({ implicit: true })
  const arrival = await scene.arrive(new WebClient(), thirdParty, { response_type: 'token id_token', nonce: 'n' })
  assert.equal(arrival.mode, 'form_post')
  await assertTokens(arrival, thirdParty.id)
})

/** Whichever tokens came: ours, for this application, and bound to each other. */
async function assertTokens({ fields }: Arrival, clientId: string): Promise<void> {
  const { access_token: access, id_token: id } = fields
  if (access !== undefined) {
    assert.equal(fields['token_type'], 'Bearer')
    assert.equal(fields['expires_in'], '3600')
    assert.ok(!fields['scope']?.includes('offline_access'), 'there is no refresh token here')
    assert.equal((await verifiedClaims(access, scene.url)).claims['azp'], clientId)
  }
  if (id === undefined) return
  const { claims } = await verifiedClaims(id, scene.url)
  assert.equal(claims.aud, clientId)
  assert.equal(claims.sub, scene.nurse.id)
  for (const name of ['sid', 'auth_time', 'iat', 'exp', 'nonce']) assert.ok(claims[name], name)
  assert.equal(claims['at_hash'] !== undefined, access !== undefined)
}
