import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { IdTokenAlgorithm } from '../../../src/domain/applications/application.ts'
import { PRODUCTION, SANDBOX, startTokenScene, type TestApplication } from '../../harness/token-scene.ts'

// oauth4webapi takes nothing on trust: every answer is checked against the RFC it belongs to. It also plays the API that gets
// our access tokens (RFC 9068).

const scene = await startTokenScene()
after(() => scene.service.stop())
const ISSUER = new URL(`${scene.url}/oidc`)
const CALLBACK = 'https://client.example/callback'
const http = { [oauth.allowInsecureRequests]: true }
const server = await oauth.processDiscoveryResponse(
  ISSUER,
  await oauth.discoveryRequest(ISSUER, { algorithm: 'oidc', ...http }),
)

function clientOf(application: TestApplication, algorithm: IdTokenAlgorithm = 'RS256'): oauth.Client {
  return { client_id: application.id, id_token_signed_response_alg: algorithm }
}

function post({ secret }: TestApplication): oauth.ClientAuth {
  return oauth.ClientSecretPost(secret ?? '')
}

/** The answer of the browser's way back, validated. */
function callback(client: oauth.Client, code: string): URLSearchParams {
  const url = new URL(`${CALLBACK}?${new URLSearchParams({ code, state: 's', iss: ISSUER.href }).toString()}`)
  return oauth.validateAuthResponse(server, client, url, 's')
}

async function signIn(application: TestApplication, algorithm: IdTokenAlgorithm = 'RS256', scope = ['openid']) {
  const client = clientOf(application, algorithm)
  const expectedNonce = oauth.generateRandomNonce()
  const verifier = oauth.generateRandomCodeVerifier()
  const code = await scene.code(application, {
    redirectUri: CALLBACK,
    scope,
    audience: PRODUCTION,
    nonce: expectedNonce,
    codeChallenge: await oauth.calculatePKCECodeChallenge(verifier),
  })
  const auth = application.secret === null ? oauth.None() : post(application)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    callback(client, code),
    CALLBACK,
    verifier,
    http,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, response, http)
  return { client, tokens }
}

/** What the API does with a token (RFC 9068 4): issuer, audience, type, time and signature. */
function validateAtApi(token: string, audience: string): Promise<oauth.JWTAccessTokenClaims> {
  const request = new Request('https://api.example/', { headers: { authorization: `Bearer ${token}` } })
  return oauth.validateJwtAccessToken(server, request, audience, http)
}

async function refusal(answer: Promise<unknown>): Promise<oauth.ResponseBodyError> {
  const error: unknown = await answer.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof oauth.ResponseBodyError, String(error))
  return error
}

for (const [method, authenticate] of [
  ['client_secret_post', oauth.ClientSecretPost],
  ['client_secret_basic', oauth.ClientSecretBasic],
] as const) {
  test(`200 client_credentials by ${method}: the access token passes RFC 9068 for its audience, and for no other`, async () => {
    const application = await scene.application({ type: 'machine', clientCredentials: true })
    const client = clientOf(application)
    const auth = authenticate(application.secret ?? '')
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, { audience: PRODUCTION }, http)
    const tokens = await oauth.processClientCredentialsResponse(server, client, response)
    const claims = await validateAtApi(tokens.access_token, PRODUCTION)
    assert.equal(claims.sub, `app:${application.id}`)
    await assert.rejects(validateAtApi(tokens.access_token, SANDBOX))
  })
}

test('200 password: the answer of a grant that the library does not know passes its general checks', async () => {
  const application = await scene.application({ passwordGrant: true })
  const client = clientOf(application)
  const form = { username: 'nurse', password: scene.password, audience: PRODUCTION, scope: 'openid marketplace:read' }
  const response = await oauth.genericTokenEndpointRequest(server, client, post(application), 'password', form, http)
  const tokens = await oauth.processGenericTokenEndpointResponse(server, client, response)
  assert.equal(tokens.id_token, undefined)
  assert.equal((await validateAtApi(tokens.access_token, PRODUCTION)).scope, 'openid marketplace:read')
})

for (const algorithm of ['RS256', 'ES256', 'EdDSA'] as const) {
  test(`200 authorization_code: nonce, claims and ${algorithm} signature of the ID token hold; the access token opens API and userinfo`, async () => {
    const application = await scene.application({ idTokenAlgorithm: algorithm })
    const { client, tokens } = await signIn(application, algorithm, ['openid', 'email', 'marketplace:read'])
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    assert.equal(claims?.sub, scene.nurse.id)
    assert.equal((await validateAtApi(tokens.access_token, PRODUCTION)).sub, scene.nurse.id)

    const response = await oauth.userInfoRequest(server, client, tokens.access_token, http)
    const person = await oauth.processUserInfoResponse(server, client, scene.nurse.id, response)
    assert.equal(person.email, claims?.['email'])
  })
}

test('200 PKCE without a secret; refresh rotates, keeps the person and renews the ID token', async () => {
  const application = await scene.application({ type: 'spa' })
  const { client, tokens } = await signIn(application, 'RS256', ['openid', 'offline_access'])
  const first = tokens.refresh_token ?? ''
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), first, http)
  const renewed = await oauth.processRefreshTokenResponse(server, client, response)
  await oauth.validateApplicationLevelSignature(server, response, http)
  assert.equal(oauth.getValidatedIdTokenClaims(renewed)?.sub, scene.nurse.id)
  assert.notEqual(renewed.refresh_token, first)

  const again = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), first, http)
  const error = await refusal(oauth.processRefreshTokenResponse(server, client, again))
  assert.deepEqual([error.status, error.error], [400, 'invalid_grant'])
})

test('200 introspection describes the token, revocation ends it', async () => {
  const application = await scene.application()
  const auth = post(application)
  const { client, tokens } = await signIn(application, 'RS256', ['openid', 'offline_access'])
  const token = tokens.refresh_token ?? ''
  const introspect = async () =>
    oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, auth, token, http),
    )
  const about = await introspect()
  assert.equal(about.active, true)
  assert.equal(about.iss, ISSUER.href)
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, auth, token, http))
  assert.deepEqual(await introspect(), { active: false })
})

test('400 and 401 errors have the form of RFC 6749 5.2', async () => {
  const application = await scene.application({ clientCredentials: true })
  const client = clientOf(application)
  const ask = async (auth: oauth.ClientAuth, form: Record<string, string>) =>
    oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, auth, form, http),
    )
  const target = await refusal(ask(post(application), { audience: 'urn:nowhere' }))
  assert.deepEqual([target.status, target.error], [400, 'invalid_target'])
  const missing = await refusal(ask(post(application), {}))
  assert.deepEqual([missing.status, missing.error], [400, 'invalid_request'])
  const wrong = await refusal(ask(oauth.ClientSecretPost('wrong'), { audience: PRODUCTION }))
  assert.deepEqual([wrong.status, wrong.error], [401, 'invalid_client'])
  await assert.rejects(ask(oauth.ClientSecretBasic('wrong'), { audience: PRODUCTION }), (error) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
    assert.equal(error.cause[0]?.scheme, 'basic')
    return true
  })
})

test('401 and 403 userinfo: challenges of RFC 6750 for no person and for a token that is none', async () => {
  const application = await scene.application({ clientCredentials: true })
  const client = clientOf(application)
  const auth = post(application)
  const response = await oauth.clientCredentialsGrantRequest(server, client, auth, { audience: PRODUCTION }, http)
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, response)
  for (const [presented, status, code] of [
    [token, 403, 'insufficient_scope'],
    ['nonsense', 401, 'invalid_token'],
  ] as const) {
    const answer = await oauth.userInfoRequest(server, client, presented, http)
    await assert.rejects(oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, answer), (error) => {
      assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
      assert.equal(error.status, status)
      assert.equal(error.cause[0]?.parameters.error, code)
      return true
    })
  }
})
