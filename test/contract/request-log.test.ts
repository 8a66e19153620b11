import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, ask, type Fields, postForm, textOf } from '../harness/answer.ts'
import { startAuthorizeScene } from '../harness/authorize-scene.ts'
import { assertRefusalLogged, loggedRequest } from '../harness/request-rows.ts'
import { soon } from '../harness/soon.ts'
import { PRODUCTION, SANDBOX } from '../harness/token-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url } = scene
const app = await scene.client({ clientCredentials: true })
const machine = (fields: Fields, who = app) =>
  scene.token(who, { grant_type: 'client_credentials', audience: PRODUCTION, ...fields })

test('what succeeds is written down with its environment: token, userinfo, introspect, revoke', async () => {
  const { access, refresh } = await scene.grant(app, { audience: SANDBOX })
  const answers: Array<[Answer, string, string | null, string | null]> = [
    [await machine({}), '/oidc/oauth/token', 'client_credentials', 'production'],
    [await scene.refresh(app, refresh), '/oidc/oauth/token', 'refresh_token', 'sandbox'],
    [await scene.userinfo(access), '/oidc/userinfo', null, null],
    [await scene.introspect(app, access), '/oidc/oauth/introspect', null, null],
    [
      await postForm(`${url}/oidc/oauth/revoke`, { client_id: app.id, client_secret: app.secret, token: access }),
      '/oidc/oauth/revoke',
      null,
      null,
    ],
  ]
  for (const [answer, path, operation, environment] of answers) {
    assert.equal(answer.status, 200, answer.text)
    const row = await loggedRequest(db, answer)
    assert.deepEqual(
      [row.application_id, row.path, row.operation, row.environment, row.status, row.error],
      [app.id, path, operation, environment, 200, null],
    )
    assert.equal(row.network, '127.0.0.0/24', 'never a whole address')
  }
})

test('an access token that was refused: expired, revoked, an ID token, another server’s', async () => {
  // Of its own: asking again and again uses up what is kept.
  const own = await scene.application()
  const answer = await scene.exchange(own, await scene.code(own))
  const [access, idToken] = [textOf(answer, 'access_token'), textOf(answer, 'id_token')]
  await assertRefusalLogged(
    db,
    await scene.userinfo(idToken),
    { error: 'invalid_token', reason: /An ID token was sent/ },
    own,
  )
  const [, claims = '', signature] = access.split('.')
  const forged = [Buffer.from('{"alg":"ES256","typ":"at+jwt"}').toString('base64url'), claims, signature].join('.')
  await assertRefusalLogged(
    db,
    await scene.userinfo(forged),
    { error: 'invalid_token', reason: /signature .* is not ours/ },
    own,
  )
  await postForm(`${url}/oidc/oauth/revoke`, { client_id: own.id, client_secret: own.secret, token: access })
  let last = await scene.userinfo(access)
  assert.ok(await soon(async () => (last = await scene.userinfo(access)).status === 401))
  await assertRefusalLogged(db, last, { error: 'invalid_token', reason: /was revoked/ }, own)
})

test('the public API: the operation, the environment and the first wrong field; the path never says which webhook', async () => {
  const token = textOf(await machine({ audience: SANDBOX }), 'access_token')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = (method: string, path: string, body?: string, more: Record<string, string> = {}) =>
    ask(`${url}/api/v2/public${path}`, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body }),
    })
  const wrong = await send('POST', '/webhooks/facility', '{"url":"ftp://x","events":["all"]}')
  const row = await assertRefusalLogged(db, wrong, { error: 'wrong_fields', reason: /^\/url: / }, app)
  assert.deepEqual([row.path, row.environment, row.status], ['/api/v2/public/webhooks/facility', 'sandbox', 422])
  const missing = await send('GET', '/webhooks/facility/whk_canary')
  assert.equal((await loggedRequest(db, missing)).path, '/api/v2/public/webhooks/facility/:webhookId')

  const key = { 'idempotency-key': 'k1' }
  const first = await send('POST', '/webhooks/facility', '{"url":"ftp://x","events":["all"]}', key)
  await assertRefusalLogged(db, first, { error: 'wrong_fields', reason: /^\/url: / }, app)
  const again = await send('POST', '/webhooks/facility', '{"url":"ftp://x","events":["all"]}', key)
  await assertRefusalLogged(db, again, { error: 'repeated', reason: /Idempotency-Key/ }, app)

  const listed = await send('GET', '/webhooks/facility')
  assert.deepEqual([(await loggedRequest(db, listed)).error, listed.status], [null, 200])
  const plain = (await scene.grant(app)).access
  const userOnly = await ask(`${url}/api/v2/public/webhooks/user`, { headers: { authorization: `Bearer ${plain}` } })
  await assertRefusalLogged(db, userOnly, { error: 'invalid_token', reason: /not for this API/ }, app)
})

test('an address that does not exist is written down for whoever said who they are, but not which it was', async () => {
  const answer = await postForm(`${url}/oidc/token/canary`, { client_id: app.id, grant_type: 'client_credentials' })
  const row = await assertRefusalLogged(db, answer, { error: 'not_found', reason: /nothing at this address/ }, app)
  assert.deepEqual([row.path, row.status], ['(unknown address)', 404])
})

test('a logout that may not return there', async () => {
  const uri = 'https://client.example/bye?token=canary'
  const answer = await ask(`${url}/oidc/logout?client_id=${app.id}&post_logout_redirect_uri=${encodeURIComponent(uri)}`)
  const facts = { post_logout_redirect_uri: 'https://client.example/bye?token=…' }
  await assertRefusalLogged(
    db,
    answer,
    { error: 'invalid_request', reason: /post_logout_redirect_uri is not allowed/, facts },
    app,
  )
})

test('requests that name no application, or one that there is not, are not kept', async () => {
  const nobody = { id: 'app_nobody', secret: 'x' }
  const answers = [
    await machine({}, nobody),
    await machine({ grant_type: 'x' }, nobody),
    await new WebClient().get(scene.address(nobody)),
    await postForm(`${url}/oidc/oauth/token`, { grant_type: 'x' }),
    await ask(`${url}/api/v2/public/webhooks/facility`),
  ]
  await loggedRequest(db, await machine({}))
  const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
  assert.equal((await db`select 1 from request_log where request_id = any(${ids})`).length, 0)
})
