import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { assertError, textOf } from '../harness/answer.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { soonHeard } from '../harness/soon.ts'
import { startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const second = await startSecondProcess(scene.service)
after(second.stop)
const { db } = scene
const everywhere = [scene.url, second.url]

/** Within a second, at every process: inactive at introspection and refused at userinfo. */
async function assertDies(application: TestApplication, accessToken: string): Promise<void> {
  const refused = await Promise.all(
    everywhere.map((url) => soonHeard(db, async () => (await scene.userinfo(accessToken, url)).status === 401)),
  )
  assert.deepEqual(refused, [true, true], 'refused at userinfo within a second')
  for (const url of everywhere) {
    assert.deepEqual((await scene.introspect(application, accessToken, url)).body, { active: false })
  }
}

async function assertLives(application: TestApplication, accessToken: string): Promise<void> {
  for (const url of everywhere) {
    assert.equal((await scene.userinfo(accessToken, url)).status, 200)
    assert.equal((await scene.introspect(application, accessToken, url)).body['active'], true)
  }
}

test('a code used twice: invalid_grant, and everything it gave is revoked, at every process within a second', async () => {
  const application = await scene.application()
  const other = await scene.grant(application)
  const code = await scene.code(application)
  const first = await scene.exchange(application, code)
  const access = textOf(first, 'access_token')
  await assertLives(application, access)
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  await assertDies(application, access)
  assertError(await scene.refresh(application, textOf(first, 'refresh_token')), 400, 'invalid_grant')
  await assertLives(application, other.access)
  assert.equal((await scene.refresh(application, other.refresh)).status, 200, 'another grant is not touched')
})

test('a code used twice without offline_access: its access token is revoked all the same', async () => {
  const application = await scene.application()
  const code = await scene.code(application, { scope: ['openid'] })
  const access = textOf(await scene.exchange(application, code), 'access_token')
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  await assertDies(application, access)
})

test('a code used again after its minute still counts as used twice', async () => {
  const application = await scene.application()
  const code = await scene.code(application)
  const refresh = textOf(await scene.exchange(application, code), 'refresh_token')
  await db`update authorization_codes set expires_at = now() - interval '1 hour' where application_id = ${application.id}`
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
})

test('a refresh token used twice: invalid_grant, that family is revoked and no other', async () => {
  const application = await scene.application()
  const other = await scene.grant(application)
  const first = await scene.grant(application)
  const renewed = await scene.refresh(application, first.refresh)
  assert.equal(renewed.status, 200)
  assertError(await scene.refresh(application, first.refresh), 400, 'invalid_grant')
  await assertDies(application, first.access)
  await assertDies(application, textOf(renewed, 'access_token'))
  assertError(await scene.refresh(application, textOf(renewed, 'refresh_token')), 400, 'invalid_grant')
  await assertLives(application, other.access)
  assert.equal((await scene.refresh(application, other.refresh)).status, 200, 'the other family goes on')
})

test('an old token of a long chain ends the family too', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  let last = refresh
  for (let turn = 0; turn < 4; turn += 1) last = textOf(await scene.refresh(application, last), 'refresh_token')
  assertError(await scene.refresh(application, refresh, {}, second.url), 400, 'invalid_grant')
  assertError(await scene.refresh(application, last), 400, 'invalid_grant')
})

test('another application’s code: invalid_grant, and the rightful application can still use it', async () => {
  const [owner, thief] = [await scene.application(), await scene.application()]
  const code = await scene.code(owner)
  assertError(await scene.exchange(thief, code), 400, 'invalid_grant')
  assert.equal((await scene.exchange(owner, code)).status, 200)
  assertError(await scene.exchange(thief, code), 400, 'invalid_grant')
  const [family] = await db`select revoked_at from refresh_families where application_id = ${owner.id}`
  assert.equal(family?.['revoked_at'], null, 'nor can a stranger revoke what it gave')
})

test('another application’s refresh token: invalid_grant, and the rightful application can still use it', async () => {
  const [owner, thief] = [await scene.application(), await scene.application()]
  const { refresh } = await scene.grant(owner)
  assertError(await scene.refresh(thief, refresh), 400, 'invalid_grant')
  const successor = textOf(await scene.refresh(owner, refresh), 'refresh_token')
  assertError(await scene.refresh(thief, refresh), 400, 'invalid_grant')
  assert.equal((await scene.refresh(owner, successor)).status, 200, 'nor can a stranger end the family with a used one')
})

test('PKCE downgrade: a challenge without its verifier and a verifier without a challenge are invalid_grant', async () => {
  const verifier = 'v'.repeat(43)
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url')
  const application = await scene.application()
  const challenged = await scene.code(application, { codeChallenge })
  assertError(await scene.exchange(application, challenged), 400, 'invalid_grant')
  assertError(await scene.exchange(application, challenged, { code_verifier: '' }), 400, 'invalid_grant')
  assertError(await scene.exchange(application, challenged, { code_verifier: codeChallenge }), 400, 'invalid_grant')
  const plain = await scene.code(application)
  assertError(await scene.exchange(application, plain, { code_verifier: verifier }), 400, 'invalid_grant')
  assert.equal((await scene.exchange(application, challenged, { code_verifier: verifier })).status, 200)
  assert.equal((await scene.exchange(application, plain)).status, 200, 'a refused exchange leaves the code as it was')
})

test('an application without a secret cannot exchange a code that has no challenge', async () => {
  const application = await scene.application({ type: 'spa' })
  const code = await scene.code(application)
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  assertError(await scene.exchange(application, code, { code_verifier: 'v'.repeat(43) }), 400, 'invalid_grant')
})

test('redirect_uri missing, different or different in case at the exchange: invalid_grant', async () => {
  const redirectUri = 'https://client.example/Callback'
  const application = await scene.application({ redirectUris: [redirectUri, 'https://client.example/other'] })
  const code = await scene.code(application, { redirectUri })
  for (const wrong of [
    null,
    '',
    'https://client.example/callback',
    'https://CLIENT.example/Callback',
    'https://client.example/Callback/',
    'https://client.example/Callback?',
    'https://client.example/Callback#',
    'https://client.example:443/Callback',
    'https://client.example/%43allback',
    'https://client.example/other',
    ` ${redirectUri}`,
  ]) {
    assertError(await scene.exchange(application, code, { redirect_uri: wrong }), 400, 'invalid_grant')
  }
  assert.equal((await scene.exchange(application, code, { redirect_uri: redirectUri })).status, 200)
})
