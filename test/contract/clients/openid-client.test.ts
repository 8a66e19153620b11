import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as client from 'openid-client'
import type { Application, IdTokenAlgorithm } from '../../../src/domain/applications/application.ts'
import { soon } from '../../harness/soon.ts'
import { PRODUCTION, startTokenScene, type TestApplication } from '../../harness/token-scene.ts'

// openid-client is what most integrators in JavaScript use: it drives every grant, and refuses what is not as it should be.

const scene = await startTokenScene()
after(() => scene.service.stop())
const ISSUER = `${scene.url}/oidc`
const CALLBACK = 'https://client.example/callback'

/** Discovers us as an integrator does, and checks the signature of every ID token against our JWKS. */
async function configure(
  application: TestApplication,
  authentication: client.ClientAuth,
  algorithm: IdTokenAlgorithm = 'RS256',
): Promise<client.Configuration> {
  const metadata = { id_token_signed_response_alg: algorithm }
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  return client.discovery(new URL(ISSUER), application.id, metadata, authentication, { execute })
}

async function confidential(settings: Partial<Application> = {}) {
  const application = await scene.application({ redirectUris: [CALLBACK], ...settings })
  const post = client.ClientSecretPost(application.secret ?? '')
  return { application, config: await configure(application, post, settings.idTokenAlgorithm) }
}

/** Where the browser would come back to. */
function callback(code: string, state: string): URL {
  return new URL(`${CALLBACK}?${new URLSearchParams({ code, state, iss: ISSUER }).toString()}`)
}

async function signIn(application: TestApplication, config: client.Configuration, scope: string[]) {
  const nonce = client.randomNonce()
  const state = client.randomState()
  const code = await scene.code(application, { redirectUri: CALLBACK, scope, audience: PRODUCTION, nonce })
  return client.authorizationCodeGrant(config, callback(code, state), { expectedNonce: nonce, expectedState: state })
}

async function refusal(request: Promise<unknown>): Promise<client.ResponseBodyError> {
  const error: unknown = await request.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof client.ResponseBodyError, String(error))
  return error
}

test('200 discovery: the issuer is the one that was asked, and every endpoint it needs is named', async () => {
  const { config } = await confidential()
  const server = config.serverMetadata()
  assert.equal(server.issuer, ISSUER)
  assert.equal(server.token_endpoint, `${ISSUER}/oauth/token`)
  assert.ok(server.supportsPKCE())
})

for (const [method, authenticate] of [
  ['client_secret_post', client.ClientSecretPost],
  ['client_secret_basic', client.ClientSecretBasic],
] as const) {
  test(`200 client_credentials by ${method}: an access token and nothing else`, async () => {
    const application = await scene.application({ type: 'machine', clientCredentials: true })
    const config = await configure(application, authenticate(application.secret ?? ''))
    const tokens = await client.clientCredentialsGrant(config, { audience: PRODUCTION })
    assert.equal(tokens.token_type, 'bearer')
    assert.equal(tokens.expires_in, 3_600)
    assert.equal(tokens.scope, 'marketplace:read marketplace:write')
    assert.equal(tokens.id_token, undefined)
    assert.equal(tokens.refresh_token, undefined)
  })
}

test('200 password: an access token that opens userinfo, a refresh token, no ID token', async () => {
  const { config } = await confidential({ passwordGrant: true })
  const tokens = await client.genericGrantRequest(config, 'password', {
    username: 'nurse@example.com',
    password: scene.password,
    scope: 'openid email offline_access',
  })
  assert.equal(tokens.id_token, undefined)
  const claims = await client.fetchUserInfo(config, tokens.access_token, scene.nurse.id)
  assert.equal(claims.email, 'nurse@example.com')
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal(renewed.claims()?.sub, scene.nurse.id)
})

for (const algorithm of ['RS256', 'ES256', 'EdDSA'] as const) {
  test(`200 authorization_code, confidential: the ${algorithm} signature of the ID token holds, before and after a refresh`, async () => {
    const { application, config } = await confidential({ idTokenAlgorithm: algorithm })
    const tokens = await signIn(application, config, ['openid', 'profile', 'role', 'offline_access'])
    const claims = tokens.claims()
    assert.equal(claims?.sub, scene.nurse.id)
    assert.equal(claims?.['name'], 'Demo Nurse')
    assert.equal(claims?.['role'], 'NURSE_USER')

    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    assert.notEqual(renewed.refresh_token, tokens.refresh_token)
    assert.equal(renewed.claims()?.sub, claims?.sub)
    assert.equal(renewed.claims()?.auth_time, claims?.auth_time)
    assert.equal(renewed.claims()?.nonce, undefined)
  })
}

test('200 authorization_code with PKCE, without a secret, and its refresh', async () => {
  const application = await scene.application({ type: 'spa', redirectUris: [CALLBACK] })
  const config = await configure(application, client.None())
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const code = await scene.code(application, {
    redirectUri: CALLBACK,
    codeChallenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  })
  const tokens = await client.authorizationCodeGrant(config, callback(code, 's'), {
    pkceCodeVerifier,
    expectedState: 's',
  })
  assert.equal(tokens.claims()?.sub, scene.nurse.id)
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.ok(renewed.refresh_token)
})

test('200 refresh with less scope: that access token only', async () => {
  const { application, config } = await confidential()
  const tokens = await signIn(application, config, ['openid', 'email', 'offline_access'])
  const reduced = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'openid' })
  assert.equal(reduced.scope, 'openid')
  assert.deepEqual(await client.fetchUserInfo(config, reduced.access_token, scene.nurse.id), { sub: scene.nurse.id })
  const whole = await client.refreshTokenGrant(config, reduced.refresh_token ?? '')
  assert.equal(whole.scope, 'openid email offline_access')
})

test('200 introspection and revocation: active until it is revoked, refresh token and access token alike', async () => {
  const { application, config } = await confidential()
  const tokens = await signIn(application, config, ['openid', 'offline_access'])
  const about = await client.tokenIntrospection(config, tokens.access_token)
  assert.equal(about.active, true)
  assert.equal(about.sub, scene.nurse.id)
  assert.equal(about.client_id, application.id)

  await client.tokenRevocation(config, tokens.refresh_token ?? '', { token_type_hint: 'refresh_token' })
  assert.equal((await client.tokenIntrospection(config, tokens.refresh_token ?? '')).active, false)
  const refused = await refusal(client.refreshTokenGrant(config, tokens.refresh_token ?? ''))
  assert.equal(refused.error, 'invalid_grant')
})

test('401 userinfo after the token is revoked, as a challenge that the library reads', async () => {
  const { application, config } = await confidential()
  const { access_token: token } = await signIn(application, config, ['openid'])
  await client.fetchUserInfo(config, token, scene.nurse.id)
  await client.tokenRevocation(config, token)
  let challenge: unknown = null
  await soon(async () => {
    challenge = await client.fetchUserInfo(config, token, scene.nurse.id).then(
      () => null,
      (reason: unknown) => reason,
    )
    return challenge !== null
  })
  assert.ok(challenge instanceof client.WWWAuthenticateChallengeError, String(challenge))
  assert.equal(challenge.status, 401)
  assert.equal(challenge.cause[0]?.scheme, 'bearer')
  assert.equal(challenge.cause[0]?.parameters.error, 'invalid_token')
})

test('400 and 401 errors arrive as the library presents them: status, error and description', async () => {
  const { application, config } = await confidential()
  const code = await scene.code(application, { redirectUri: 'https://client.example/other' })
  const mismatch = await refusal(client.authorizationCodeGrant(config, callback(code, 's'), { expectedState: 's' }))
  assert.deepEqual([mismatch.status, mismatch.error], [400, 'invalid_grant'])
  assert.ok(mismatch.error_description)

  const off = await refusal(client.clientCredentialsGrant(config, { audience: PRODUCTION }))
  assert.deepEqual([off.status, off.error], [400, 'unauthorized_client'])
  assert.match(off.error_description ?? '', /grant type 'client_credentials' is not allowed for the client/i)

  const unknown = await refusal(client.genericGrantRequest(config, 'urn:example:grant', {}))
  assert.deepEqual([unknown.status, unknown.error], [400, 'unsupported_grant_type'])

  const stranger = await configure(application, client.ClientSecretPost('wrong'))
  const wrong = await refusal(client.refreshTokenGrant(stranger, 'x'))
  assert.deepEqual([wrong.status, wrong.error], [401, 'invalid_client'])
})

test('401 a wrong secret by HTTP Basic is answered with a Basic challenge', async () => {
  const application = await scene.application()
  const config = await configure(application, client.ClientSecretBasic('wrong'))
  await assert.rejects(client.refreshTokenGrant(config, 'x'), (error) => {
    assert.ok(error instanceof client.WWWAuthenticateChallengeError)
    assert.equal(error.status, 401)
    assert.equal(error.cause[0]?.scheme, 'basic')
    return true
  })
})
