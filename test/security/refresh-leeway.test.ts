import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eraseEndedLeeways } from '../../src/domain/tokens/refresh-token-store.ts'
import { secretHash } from '../../src/platform/opaque-secret.ts'
import { assertError, textOf } from '../harness/answer.ts'
import { startTokenScene } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const { db } = scene

async function sealedOf(token: string): Promise<Buffer | null> {
  const [row] = await db<Array<{ successor_sealed: Buffer | null }>>`
    select successor_sealed from refresh_tokens where token_hash = ${secretHash(token)}`
  assert.ok(row)
  return row.successor_sealed
}

async function endLeeway(token: string): Promise<void> {
  await db`update refresh_tokens set successor_until = now() - interval '1 second' where token_hash = ${secretHash(token)}`
}

test('a retry inside the leeway: the same successor, a new access token, and the family lives', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const { refresh } = await scene.grant(application)
  const [lost, again] = [await scene.refresh(application, refresh), await scene.refresh(application, refresh)]
  assert.equal(textOf(again, 'refresh_token'), textOf(lost, 'refresh_token'))
  assert.notEqual(textOf(again, 'access_token'), textOf(lost, 'access_token'))
  assert.equal((await scene.userinfo(textOf(again, 'access_token'))).status, 200)
  assert.equal((await scene.refresh(application, textOf(again, 'refresh_token'))).status, 200)
})

test('a retry may ask for less, and not for more', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const { refresh } = await scene.grant(application, { scope: ['openid', 'email', 'offline_access'] })
  await scene.refresh(application, refresh)
  assert.equal((await scene.refresh(application, refresh, { scope: 'openid' })).body['scope'], 'openid')
  assertError(await scene.refresh(application, refresh, { scope: 'openid phone' }), 400, 'invalid_scope')
  assert.equal((await scene.refresh(application, refresh)).status, 200)
})

test('after the leeway the predecessor counts as reuse: invalid_grant, and the family is revoked', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const { refresh } = await scene.grant(application)
  const successor = textOf(await scene.refresh(application, refresh), 'refresh_token')
  await endLeeway(refresh)
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
  assertError(await scene.refresh(application, successor), 400, 'invalid_grant')
})

test('once the successor was used the predecessor counts as reuse, inside the leeway too', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const { refresh } = await scene.grant(application)
  const successor = textOf(await scene.refresh(application, refresh), 'refresh_token')
  const next = textOf(await scene.refresh(application, successor), 'refresh_token')
  assert.equal(await sealedOf(refresh), null, 'the sealed successor is erased by its first use')
  assert.notEqual(await sealedOf(successor), null, 'the one after it is sealed in its turn')
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
  assertError(await scene.refresh(application, next), 400, 'invalid_grant')
})

test('the sealed successor is erased when the leeway ended, and not before', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const [ended, running] = [await scene.grant(application), await scene.grant(application)]
  await scene.refresh(application, ended.refresh)
  await scene.refresh(application, running.refresh)
  await endLeeway(ended.refresh)
  await eraseEndedLeeways(db)
  assert.equal(await sealedOf(ended.refresh), null)
  assert.notEqual(await sealedOf(running.refresh), null)
})

test('what is stored opens for nobody who reads the database: neither token nor successor is in it', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const { refresh } = await scene.grant(application)
  const successor = textOf(await scene.refresh(application, refresh), 'refresh_token')
  const rows = await db`select row_to_json(refresh_tokens)::text as row from refresh_tokens`
  const dump = rows.map(({ row }) => String(row)).join('\n')
  const sealed = await sealedOf(refresh)
  for (const secret of [refresh, successor]) {
    assert.ok(!dump.includes(secret))
    assert.ok(!dump.includes(Buffer.from(secret).toString('hex')))
    assert.ok(!sealed?.includes(Buffer.from(secret, 'base64url')))
  }
})

test('without a leeway nothing is sealed', async () => {
  const application = await scene.application()
  const { refresh } = await scene.grant(application)
  await scene.refresh(application, refresh)
  assert.equal(await sealedOf(refresh), null)
})

test('another application cannot retry, and the rightful one still can', async () => {
  const [owner, thief] = [
    await scene.application({ refreshLeewaySeconds: 60 }),
    await scene.application({ refreshLeewaySeconds: 60 }),
  ]
  const { refresh } = await scene.grant(owner)
  const successor = textOf(await scene.refresh(owner, refresh), 'refresh_token')
  assertError(await scene.refresh(thief, refresh), 400, 'invalid_grant')
  assert.equal(textOf(await scene.refresh(owner, refresh), 'refresh_token'), successor)
})

test('a retry in a family that ended meanwhile: invalid_grant', async () => {
  const application = await scene.application({ refreshLeewaySeconds: 60 })
  const { refresh } = await scene.grant(application)
  await scene.refresh(application, refresh)
  await db`update refresh_families set revoked_at = now() where application_id = ${application.id}`
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
})

test('the leeway is sixty seconds at most', async () => {
  await assert.rejects(scene.application({ refreshLeewaySeconds: 61 }), /refresh_leeway_seconds_check/)
})
