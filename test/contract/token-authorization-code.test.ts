import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { ask, assertError, postForm, textOf } from '../harness/answer.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db } = scene

test('200 with client_id, client_secret and code: id_token, access_token, Bearer, scope, expires_in', async () => {
  const application = await scene.application()
  const answer = await scene.exchange(application, await scene.code(application, { scope: ['openid', 'email'] }))
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body).toSorted(), [
    'access_token',
    'expires_in',
    'id_token',
    'scope',
    'token_type',
  ])
  assert.equal(answer.body['token_type'], 'Bearer')
  assert.equal(answer.body['expires_in'], 3_600)
  assert.equal(answer.body['scope'], 'openid email')
  assert.equal(textOf(answer, 'access_token').split('.').length, 3)
  assert.equal(textOf(answer, 'id_token').split('.').length, 3)
})

test('200 is application/json and never stored', async () => {
  const application = await scene.application()
  const { headers } = await scene.exchange(application, await scene.code(application))
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('pragma'), 'no-cache')
})

test('200 with offline_access: a refresh_token that is opaque, not a JWT', async () => {
  const application = await scene.application()
  const answer = await scene.exchange(
    application,
    await scene.code(application, { scope: ['openid', 'offline_access'] }),
  )
  assert.match(textOf(answer, 'refresh_token'), /^[A-Za-z0-9_-]{43}$/)
})

test('200 without the scope openid: an id_token all the same', async () => {
  const application = await scene.application()
  const answer = await scene.exchange(application, await scene.code(application, { scope: ['email'] }))
  assert.ok(textOf(answer, 'id_token'))
})

test('200 without redirect_uri when none was sent to /authorize', async () => {
  const application = await scene.application({ redirectUris: ['https://client.example/cb'] })
  assert.equal((await scene.exchange(application, await scene.code(application))).status, 200)
})

test('200 with the identical redirect_uri when one was sent to /authorize', async () => {
  const redirectUri = 'https://client.example/cb?a=%20b'
  const application = await scene.application({ redirectUris: [redirectUri] })
  const code = await scene.code(application, { redirectUri })
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  assert.equal((await scene.exchange(application, code, { redirect_uri: redirectUri })).status, 200)
})

test('200 with the other of two live secrets', async () => {
  const application = await scene.application()
  await insertApplicationSecret(db, application.id, 'second', 'another-secret')
  for (const secret of [application.secret, 'another-secret']) {
    assert.equal((await scene.exchange({ ...application, secret }, await scene.code(application))).status, 200)
  }
})

test('400 invalid_request without a code', async () => {
  const application = await scene.application()
  for (const code of [null, '']) {
    assertError(await scene.token(application, { grant_type: 'authorization_code', code }), 400, 'invalid_request')
  }
})

test('400 invalid_grant for a code that nobody issued', async () => {
  assertError(await scene.exchange(await scene.application(), 'made-up'), 400, 'invalid_grant')
})

test('400 invalid_grant after a minute', async () => {
  const application = await scene.application()
  const [young, old] = [await scene.code(application), await scene.code(application, { sid: 'ses_old' })]
  const [row] = await db<[{ seconds: number }]>`
    select extract(epoch from expires_at - now())::float8 as seconds from authorization_codes where sid = 'ses_old'`
  assert.ok(row.seconds > 50 && row.seconds <= 60)
  await db`update authorization_codes set expires_at = now() where sid = 'ses_old'`
  assertError(await scene.exchange(application, old), 400, 'invalid_grant')
  assert.equal((await scene.exchange(application, young)).status, 200)
})

test('400 invalid_grant when the person was blocked after the code was issued', async () => {
  const application = await scene.application()
  const [other] = await db<[{ id: string }]>`select id from users where email = 'nurse2@example.com'`
  const code = await scene.code(application, { userId: other.id })
  await db`update users set blocked_at = now() where id = ${other.id}`
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
})

test('401 invalid_client without the secret of a confidential application, and the code is left as it was', async () => {
  const application = await scene.application()
  const code = await scene.code(application)
  assertError(await scene.exchange(application, code, { client_secret: null }), 401, 'invalid_client')
  assertError(await scene.exchange(application, code, { client_secret: 'wrong' }), 401, 'invalid_client')
  assert.equal((await scene.exchange(application, code)).status, 200)
})

test('a code, like every secret, is stored only as its hash', async () => {
  const application = await scene.application()
  const code = await scene.code(application)
  const { refresh } = await scene.grant(application)
  const dump = await db`
    select row_to_json(c)::text as row from authorization_codes c
    union all select row_to_json(r)::text from refresh_tokens r
    union all select row_to_json(f)::text from refresh_families f`
  const text = dump.map(({ row }) => String(row)).join('\n')
  for (const secret of [code, refresh]) assert.ok(!text.includes(secret))
})

test('no secret of an exchange reaches the log', async () => {
  const application = await scene.application()
  const code = await scene.code(application)
  const answer = await scene.exchange(application, code)
  await scene.exchange(application, code)
  const log = scene.service.logged.join('')
  assert.match(log, /The code was used before/, 'the reason is there')
  for (const secret of [
    code,
    application.secret ?? '',
    ...['access_token', 'id_token', 'refresh_token'].map((name) => textOf(answer, name)),
  ]) {
    assert.ok(!log.includes(secret))
  }
})

test('CORS: a registered origin may read the answer, errors included; another may not', async () => {
  const origin = 'https://spa.example'
  const application = await scene.application({ webOrigins: [origin] })
  const url = `${scene.url}/oidc/oauth/token`
  const allowed = await postForm(url, { grant_type: 'x' }, { origin })
  assert.equal(allowed.headers.get('access-control-allow-origin'), origin)
  assert.equal(allowed.headers.get('vary'), 'Origin')
  for (const stranger of ['https://evil.example', 'null', 'https://spa.example.evil.example', `${origin}/`]) {
    const refused = await postForm(url, { grant_type: 'x' }, { origin: stranger })
    assert.equal(refused.headers.get('access-control-allow-origin'), null, stranger)
    assert.equal(refused.headers.get('vary'), 'Origin')
  }
  const preflight = await ask(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/)
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  await db`update applications set suspended_at = now() where id = ${application.id}`
  assert.equal((await postForm(url, {}, { origin })).headers.get('access-control-allow-origin'), null)
})
