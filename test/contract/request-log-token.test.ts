import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, ask, type Fields, postForm } from '../harness/answer.ts'
import { CALLBACK } from '../harness/authorize-scene.ts'
import { assertRefusalLogged, type ExpectedRefusal } from '../harness/request-rows.ts'
import { PRODUCTION, startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db, url } = scene

const app = await scene.application({ clientCredentials: true, redirectUris: [CALLBACK] })
const sandboxOnly = await scene.application({ clientCredentials: true, environments: ['sandbox'] })
const basicOnly = await scene.application({ tokenEndpointAuthentication: 'basic' })
const suspended = await scene.application()
await db`update applications set suspended_at = now() where id = ${suspended.id}`
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const machine = (fields: Fields, who = app) =>
  scene.token(who, { grant_type: 'client_credentials', audience: PRODUCTION, ...fields })
const used = async () => {
  const code = await scene.code(app)
  await scene.exchange(app, code)
  return scene.exchange(app, code)
}
const expired = async () => {
  const code = await scene.code(app)
  await db`update authorization_codes set expires_at = now()`
  return scene.exchange(app, code)
}
const reused = async () => {
  const { refresh } = await scene.grant(app)
  await scene.refresh(app, refresh)
  return scene.refresh(app, refresh)
}

const TOKEN: Array<[what: string, send: () => Promise<Answer>, expected: ExpectedRefusal & { who?: TestApplication }]> =
  [
    [
      'no grant_type',
      () => machine({ grant_type: null }),
      { error: 'invalid_request', reason: /grant_type is required/ },
    ],
    [
      'an unknown grant_type',
      () => machine({ grant_type: 'code' }),
      { error: 'unsupported_grant_type', reason: /the value is authorization_code/, operation: null },
    ],
    [
      'a parameter twice',
      () => ask(`${url}/oidc/oauth/token`, twice(`client_id=${app.id}&scope=a&scope=b`)),
      { error: 'invalid_request', reason: /"scope" was sent more than once/ },
    ],
    [
      'a secret in the URL',
      () => postForm(`${url}/oidc/oauth/token?client_secret=x`, { client_id: app.id, grant_type: 'password' }),
      { error: 'invalid_request', reason: /never in the URL/ },
    ],
    [
      'JSON instead of a form',
      () => ask(`${url}/oidc/oauth/token`, { ...basic(app), body: '{}' }),
      { error: 'invalid_request', reason: /Content-Type/ },
    ],
    [
      'a wrong secret',
      () => machine({ client_secret: 'wrong' }),
      { error: 'invalid_client', reason: /none of the application’s live ones/, operation: 'client_credentials' },
    ],
    [
      'no secret',
      () => machine({ client_secret: null }),
      { error: 'invalid_client', reason: /must present its secret/ },
    ],
    [
      'the wrong method',
      () => machine({}, basicOnly),
      { error: 'invalid_client', reason: /set to authenticate by "basic"; the request used "post"/, who: basicOnly },
    ],
    [
      'two methods',
      () =>
        postForm(
          `${url}/oidc/oauth/token`,
          { client_id: app.id, client_secret: 'x', grant_type: 'password' },
          basic(app).headers,
        ),
      { error: 'invalid_request', reason: /in one way only/ },
    ],
    [
      'a suspended application',
      () => machine({}, suspended),
      { error: 'unauthorized_client', reason: /suspended/, who: suspended },
    ],
    [
      'a grant that is off',
      () => scene.token(app, { grant_type: 'password', username: 'x', password: 'y' }),
      { error: 'unauthorized_client', reason: /'password' is not allowed/, operation: 'password' },
    ],
    ['no audience', () => machine({ audience: null }), { error: 'invalid_request', reason: /audience is required/ }],
    [
      'an unknown audience',
      () => machine({ audience: 'https://elsewhere.example' }),
      { error: 'invalid_target', reason: /neither urn:handover:api:production nor urn:handover:api:sandbox/ },
    ],
    [
      'a closed environment',
      () => machine({}, sandboxOnly),
      { error: 'invalid_target', reason: /may not use production/, who: sandboxOnly },
    ],
    [
      'no code',
      () => scene.token(app, { grant_type: 'authorization_code' }),
      { error: 'invalid_request', reason: /code is required/ },
    ],
    ['a code that is made up', () => scene.exchange(app, 'x'), { error: 'invalid_grant', reason: /not one of ours/ }],
    [
      'a code of another application',
      async () => scene.exchange(app, await scene.code(basicOnly)),
      { error: 'invalid_grant', reason: /another application/ },
    ],
    ['a code that was used', used, { error: 'invalid_grant', reason: /used before/ }],
    ['a code that is too old', expired, { error: 'invalid_grant', reason: /older than 60 s/ }],
    [
      'another redirect_uri',
      async () =>
        scene.exchange(app, await scene.code(app, { redirectUri: CALLBACK }), { redirect_uri: `${CALLBACK}/` }),
      { error: 'invalid_grant', reason: /not the one that was sent/, facts: { redirect_uri: `${CALLBACK}/` } },
    ],
    [
      'no redirect_uri',
      async () => scene.exchange(app, await scene.code(app, { redirectUri: CALLBACK })),
      { error: 'invalid_grant', reason: /not the one that was sent/ },
    ],
    [
      'no verifier',
      async () => scene.exchange(app, await scene.code(app, { codeChallenge: CHALLENGE })),
      { error: 'invalid_grant', reason: /code_verifier is missing/ },
    ],
    [
      'a wrong verifier',
      async () =>
        scene.exchange(app, await scene.code(app, { codeChallenge: CHALLENGE }), { code_verifier: 'x'.repeat(43) }),
      { error: 'invalid_grant', reason: /does not match/ },
    ],
    [
      'a verifier without a challenge',
      async () => scene.exchange(app, await scene.code(app), { code_verifier: 'x'.repeat(43) }),
      { error: 'invalid_grant', reason: /no code_challenge/ },
    ],
    [
      'a refresh token that is made up',
      () => scene.refresh(app, 'x'),
      { error: 'invalid_grant', reason: /not one of ours/ },
    ],
    [
      'a refresh token that was used',
      reused,
      { error: 'invalid_grant', reason: /used before/, operation: 'refresh_token' },
    ],
    [
      'more scope than before',
      async () => scene.refresh(app, (await scene.grant(app)).refresh, { scope: 'openid email' }),
      { error: 'invalid_scope', reason: /more than was allowed/ },
    ],
  ]

// All of them first, one after the other: what was asked is written down once a second.
const answers: Answer[] = []
for (const [, send] of TOKEN) answers.push(await send())

for (const [position, [what, , { who = app, ...expected }]] of TOKEN.entries()) {
  test(`the precise reason of the token endpoint: ${what}`, async () => {
    const answer = answers[position]
    assert.ok(answer)
    const row = await assertRefusalLogged(db, answer, expected, who)
    assert.deepEqual([row.method, row.path, row.status], ['POST', '/oidc/oauth/token', answer.status])
    assert.equal(answer.body['error'], expected.error, 'the code is the one that was answered')
  })
}

function basic({ id, secret }: TestApplication) {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  return { method: 'POST', headers: { authorization } }
}

function twice(body: string) {
  return { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
}
