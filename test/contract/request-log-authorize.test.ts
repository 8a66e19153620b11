import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CALLBACK, type Parameters, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { assertRefusalLogged, type ExpectedRefusal, loggedRequest } from '../harness/request-rows.ts'
import { PRODUCTION, SANDBOX, type TestApplication } from '../harness/token-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url } = scene

const app = await scene.client()
const sandboxOnly = await scene.client({ environments: ['sandbox'] })
const spa = await scene.client({ type: 'spa' })
const suspended = await scene.client()
await db`update applications set suspended_at = now() where id = ${suspended.id}`
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const AUTHORIZE: Array<
  [what: string, more: Parameters, expected: ExpectedRefusal & { who?: TestApplication; page?: true }]
> = [
  [
    'redirect_uri that is not registered',
    { redirect_uri: `${CALLBACK}/?code=canary` },
    {
      error: 'invalid_request',
      reason: /^redirect_uri is not registered/,
      facts: { redirect_uri: `${CALLBACK}/?code=…` },
      page: true,
    },
  ],
  [
    'response_type is missing',
    { response_type: null },
    { error: 'invalid_request', reason: /response_type is required/ },
  ],
  ['response_type is unknown', { response_type: 'x' }, { error: 'unsupported_response_type', reason: /Supported are/ }],
  ['implicit is off', { response_type: 'token' }, { error: 'unauthorized_client', reason: /implicit flow is off/ }],
  ['response_mode is unknown', { response_mode: 'x' }, { error: 'invalid_request', reason: /response_mode must be/ }],
  ['the audience is unknown', { audience: 'x' }, { error: 'invalid_target', reason: /neither urn:handover/ }],
  [
    'the environment is closed',
    { audience: PRODUCTION },
    { error: 'invalid_target', reason: /may not use production/, who: sandboxOnly },
  ],
  ['PKCE is missing', {}, { error: 'invalid_request', reason: /must use PKCE/, who: spa }],
  [
    'PKCE is plain',
    { code_challenge: CHALLENGE, code_challenge_method: 'plain' },
    { error: 'invalid_request', reason: /must be S256/ },
  ],
  ['prompt contradicts itself', { prompt: 'none login' }, { error: 'invalid_request', reason: /cannot be combined/ }],
  [
    'nobody is signed in',
    { prompt: 'none' },
    { error: 'login_required', reason: /would have to be asked/, operation: 'code' },
  ],
  ['request is not supported', { request: 'x' }, { error: 'request_not_supported', reason: /not supported/ }],
  ['the application is suspended', {}, { error: 'unauthorized_client', reason: /suspended/, who: suspended }],
]

const answers = await Promise.all(
  AUTHORIZE.map(([, more, { who = app }]) => new WebClient().get(scene.address(who, more))),
)

for (const [position, [what, , { who = app, page, ...expected }]] of AUTHORIZE.entries()) {
  test(`the precise reason of /authorize: ${what}`, async () => {
    const answer = answers[position]
    assert.ok(answer)
    const row = await assertRefusalLogged(db, answer, expected, who)
    assert.deepEqual([row.method, row.path, row.status], ['GET', '/oidc/authorize', page ? 400 : answer.status])
    if (page) assert.doesNotMatch(answer.text, /not registered/, 'the page does not say it (decision B8)')
  })
}

test('what was posted to /authorize is known by what it said', async () => {
  const browser = new WebClient()
  const posted = await browser.post(`${url}/oidc/authorize`, {
    client_id: app.id,
    redirect_uri: 'https://elsewhere.example',
  })
  const answer = await browser.get(posted.location ?? '')
  await assertRefusalLogged(
    db,
    answer,
    { error: 'invalid_request', reason: /not registered/, facts: { redirect_uri: 'https://elsewhere.example' } },
    app,
  )
})

test('a refused consent and an issued code are written down, the pages on the way are not', async () => {
  const browser = await scene.signedIn()
  const consent = await scene.visit(browser, app, { audience: SANDBOX, scope: 'openid marketplace:read' })
  const denied = await browser.submit(consent, { decision: 'deny' })
  await assertRefusalLogged(db, denied, { error: 'access_denied', reason: /did not allow it/ }, app)
  const firstParty = await scene.client({ firstParty: true })
  const issued = await browser.get(scene.address(firstParty, { audience: SANDBOX }))
  const row = await loggedRequest(db, issued)
  assert.deepEqual([row.status, row.error, row.operation, row.environment], [302, null, 'code', 'sandbox'])
  const pages = await db`select 1 from request_log where path in ('/oidc/login', '/oidc/consent') and error is null`
  assert.equal(pages.length, 0)
})
