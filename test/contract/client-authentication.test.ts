import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { type Answer, assertError, type Fields, postForm } from '../harness/answer.ts'
import { PRODUCTION, startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const url = `${scene.url}/oidc/oauth/token`
const machine = (tokenEndpointAuthentication: 'none' | 'post' | 'basic' | 'either') =>
  scene.application({ clientCredentials: true, tokenEndpointAuthentication })
const request = { grant_type: 'client_credentials', audience: PRODUCTION }

const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
const basicOf = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
const post = ({ id, secret }: TestApplication, more: Fields = {}) =>
  postForm(url, { ...request, client_id: id, client_secret: secret, ...more })
const basic = ({ id, secret }: TestApplication, more: Fields = {}) =>
  postForm(url, { ...request, ...more }, { authorization: basicOf(id, secret ?? '') })

function assertBasicChallenge({ headers }: Answer): void {
  assert.match(headers.get('www-authenticate') ?? '', /^Basic realm="handover"/)
}

const settings = [
  ['either', 200, 200],
  ['post', 200, 401],
  ['basic', 401, 200],
] as const
for (const [setting, byPost, byBasic] of settings) {
  test(`an application set to ${setting}: post ${byPost}, basic ${byBasic}, no secret 401`, async () => {
    const application = await machine(setting)
    assert.equal((await post(application)).status, byPost)
    assert.equal((await basic(application)).status, byBasic)
    assertError(await post(application, { client_secret: null }), 401, 'invalid_client')
  })
}

test('an application set to none is known by its id alone, and takes no secret', async () => {
  const application = await scene.application({ type: 'spa' })
  const refresh = { grant_type: 'refresh_token', refresh_token: 'x' }
  assertError(await postForm(url, { ...refresh, client_id: application.id }), 400, 'invalid_grant')
  assertError(await postForm(url, { ...refresh, client_id: application.id, client_secret: 'x' }), 401, 'invalid_client')
})

test('401 invalid_client with WWW-Authenticate: Basic if Basic was used, without it otherwise', async () => {
  const application = await machine('either')
  const byBasic = await basic({ ...application, secret: 'wrong' })
  assertError(byBasic, 401, 'invalid_client')
  assertBasicChallenge(byBasic)
  const byPost = await post({ ...application, secret: 'wrong' })
  assertError(byPost, 401, 'invalid_client')
  assert.equal(byPost.headers.get('www-authenticate'), null)
})

test('the same answer for an unknown application, a wrong secret, none and the wrong method', async () => {
  const application = await machine('post')
  const answers = [
    await post({ id: 'app_unknown', secret: 'x' }),
    await post({ id: "' or 1=1 --", secret: 'x' }),
    await post({ id: 'a'.repeat(5_000), secret: 'x' }),
    await post({ ...application, secret: 'wrong' }),
    await post(application, { client_secret: null }),
    await basic(application),
    await basic({ id: 'app_unknown', secret: 'x' }),
  ]
  for (const answer of answers) assertError(answer, 401, 'invalid_client')
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
})

test('Basic with an equal client_id in the body is one method; unequal is invalid_request', async () => {
  const application = await machine('either')
  assert.equal((await basic(application, { client_id: application.id })).status, 200)
  assertError(await basic(application, { client_id: 'app_other' }), 400, 'invalid_request')
})

test('two methods at once are invalid_request, even if both are right', async () => {
  const application = await machine('either')
  assertError(
    await basic(application, { client_id: application.id, client_secret: application.secret }),
    400,
    'invalid_request',
  )
  assertError(await basic(application, { client_secret: 'wrong' }), 400, 'invalid_request')
})

test('Basic credentials are form-decoded (RFC 6749 2.3.1)', async () => {
  const application = await machine('basic')
  const secret = 'p@ss word+%:&=é'
  await insertApplicationSecret(scene.db, application.id, 'odd', secret)
  const answer = await basic({ ...application, secret })
  assert.equal(answer.status, 200, answer.text)
})

test('an Authorization header that is not Basic with two halves: 401 with the challenge', async () => {
  const application = await machine('either')
  const half = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  for (const authorization of [
    'Basic',
    'Basic ???',
    'Bearer x.y.z',
    half(application.id),
    half(`${application.id}:`),
    half(`:${application.secret}`),
    half(`${application.id}:%zz`),
    half(`${application.id}\0:${application.secret}`),
    `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`,
  ]) {
    const answer = await postForm(url, request, { authorization })
    assertError(answer, 401, 'invalid_client')
    assertBasicChallenge(answer)
  }
})

test('two live secrets, each with its last use, written later and not while the token is waited for', async () => {
  const application = await machine('either')
  await insertApplicationSecret(scene.db, application.id, 'second', 'second-secret')
  const uses = () => scene.db<Array<{ name: string; used: boolean }>>`
    select name, last_used_at is not null as used from application_secrets where application_id = ${application.id} order by name`
  // Whoever would write now has to wait until this ends.
  await scene.db.begin(async (tx) => {
    await tx`select 1 from application_secrets where application_id = ${application.id} for update`
    for (const secret of [application.secret, 'second-secret']) {
      assert.equal((await post({ ...application, secret })).status, 200)
    }
    assert.deepEqual(
      (await uses()).map(({ used }) => used),
      [false, false],
    )
  })
})

test('a revoked secret is no secret', async () => {
  const application = await machine('either')
  await scene.db`update application_secrets set revoked_at = now() where application_id = ${application.id}`
  assertError(await post(application), 401, 'invalid_client')
})

test('400 unauthorized_client for a suspended application that proved itself, 401 for whoever did not', async () => {
  const application = await scene.application({ clientCredentials: true, suspended: true })
  assertError(await post(application), 400, 'unauthorized_client')
  assertError(await post({ ...application, secret: 'wrong' }), 401, 'invalid_client')
})
