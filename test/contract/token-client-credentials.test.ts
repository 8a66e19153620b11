import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { assertError, textOf } from '../harness/answer.ts'
import { PRODUCTION, SANDBOX, startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const application = await scene.application({ type: 'machine', clientCredentials: true })
const get = (fields: Record<string, string | null>, who = application) =>
  scene.token(who, { grant_type: 'client_credentials', audience: PRODUCTION, ...fields })

for (const audience of [PRODUCTION, SANDBOX]) {
  test(`200 for ${audience}: an access token, no ID token, no refresh token`, async () => {
    const answer = await get({ audience })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(answer.body).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type'])
    assert.equal(answer.body['expires_in'], 3_600)
    const claims = decodeJwt(textOf(answer, 'access_token'))
    assert.equal(claims.sub, `app:${application.id}`)
    assert.deepEqual(claims.aud, [audience, application.id])
    assert.equal(claims['role'], undefined)
    assert.equal(claims['sid'], undefined)
  })
}

test('200 grants the application’s API scopes, whatever scope was asked for', async () => {
  assert.equal((await get({})).body['scope'], 'marketplace:read marketplace:write')
  assert.equal((await get({ scope: 'openid offline_access' })).body['scope'], 'marketplace:read marketplace:write')
  const reader = await scene.application({ clientCredentials: true, apiScopes: ['marketplace:read'] })
  assert.equal((await get({}, reader)).body['scope'], 'marketplace:read')
})

test('400 unauthorized_client for an application that is not enabled for it, which is the default', async () => {
  for (const type of ['machine', 'web'] as const) {
    const answer = await get({}, await scene.application({ type }))
    assertError(answer, 400, 'unauthorized_client')
    assert.match(
      String(answer.body['error_description']),
      /^Grant type 'client_credentials' is not allowed for the client\./,
    )
  }
})

test('400 invalid_request without an audience', async () => {
  const answer = await get({ audience: null })
  assertError(answer, 400, 'invalid_request')
  assert.match(String(answer.body['error_description']), /audience/)
  assertError(await get({ audience: '' }), 400, 'invalid_request')
})

test('400 invalid_target for an audience that is unknown or not the application’s', async () => {
  for (const audience of ['https://elsewhere.example', `${PRODUCTION}/`, PRODUCTION.toUpperCase(), application.id]) {
    assertError(await get({ audience }), 400, 'invalid_target')
  }
  const sandboxOnly = await scene.application({ clientCredentials: true, environments: ['sandbox'] })
  assertError(await get({}, sandboxOnly), 400, 'invalid_target')
  assert.equal((await get({ audience: SANDBOX }, sandboxOnly)).status, 200)
})

test('401 invalid_client without a secret, whatever the application’s setting says', async () => {
  assertError(await get({ client_secret: null }), 401, 'invalid_client')
  const open = await scene.application({ type: 'native', clientCredentials: true })
  assertError(await get({}, open), 401, 'invalid_client')
})
