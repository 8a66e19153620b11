import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { secretHash } from '../../src/platform/opaque-secret.ts'
import { type Answer, assertError, textOf } from '../harness/answer.ts'
import { startDatabaseProxy } from '../harness/database-proxy.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { startTokenScene, type TokenScene } from '../harness/token-scene.ts'

const AT_ONCE = 32
const closers: Array<() => Promise<void>> = []
after(async () => {
  for (const close of closers.toReversed()) await close()
})

const near = await startTokenScene()
closers.push(near.service.stop)
const second = await startSecondProcess(near.service)
closers.push(second.stop)
const proxy = await startDatabaseProxy({ delayMs: 5 })
closers.push(proxy.close)
const far = await startTokenScene({}, proxy.urlOf)
closers.push(far.service.stop)

race('at one process', near, [near.url])
race('with 5 ms to the database', far, [far.url])
race('at two processes', near, [near.url, second.url])

function race(where: string, scene: TokenScene, urls: string[]): void {
  const everywhere = (request: (url: string) => Promise<Answer>) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => request(urls[turn % urls.length] ?? '')))

  describe(`${AT_ONCE} at once ${where}`, () => {
    test('one code: exactly one 200, the others invalid_grant', async () => {
      const application = await scene.application()
      const code = await scene.code(application)
      assertOneWins(await everywhere((url) => scene.exchange(application, code, {}, url)))
      assert.equal(await families(scene, application.id), 1)
    })

    test('one refresh token without leeway: exactly one 200, the others invalid_grant', async () => {
      const application = await scene.application()
      const { refresh } = await scene.grant(application)
      assertOneWins(await everywhere((url) => scene.refresh(application, refresh, {}, url)))
      assert.equal(await liveTokens(scene, application.id), 0, 'reuse ended the family')
    })

    test('one refresh token with leeway: every 200 has the same successor, and one token is live', async () => {
      const application = await scene.application({ refreshLeewaySeconds: 30 })
      const { refresh } = await scene.grant(application)
      const answers = await everywhere((url) => scene.refresh(application, refresh, {}, url))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      const successors = new Set(answers.map((answer) => textOf(answer, 'refresh_token')))
      assert.equal(successors.size, 1)
      assert.ok(!successors.has(refresh))
      assert.equal(await liveTokens(scene, application.id), 1)
      for (const successor of successors) {
        assert.equal((await scene.refresh(application, successor)).status, 200, 'and it works')
      }
    })

    test('one non-rotating refresh token: every answer is 200 with the same token', async () => {
      const application = await scene.application({ refreshRotating: false })
      const { refresh } = await scene.grant(application)
      const answers = await everywhere((url) => scene.refresh(application, refresh, {}, url))
      assert.deepEqual(new Set(answers.map((answer) => textOf(answer, 'refresh_token'))), new Set([refresh]))
    })
  })
}

test('tokens that are being used elsewhere hold up nobody else’s', async () => {
  const application = await near.application()
  const grants = await Promise.all(Array.from({ length: 12 }, () => near.grant(application)))
  // More than there are statements under way at a time.
  const [busy, others] = [grants.slice(0, 4), grants.slice(4)]
  const released = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const elsewhere = near.service.deps.db.begin(async (tx) => {
    for (const { refresh } of busy) {
      await tx`select 1 from refresh_tokens where token_hash = ${secretHash(refresh)} for update`
    }
    held.resolve()
    await released.promise
  })
  await held.promise
  const statusOf = async ({ refresh }: { refresh: string }) => (await near.refresh(application, refresh)).status
  const waiting = Promise.all(busy.map(statusOf))
  assert.deepEqual(new Set(await Promise.all(others.map(statusOf))), new Set([200]))
  released.resolve()
  await elsewhere
  assert.deepEqual(new Set(await waiting), new Set([200]))
})

function assertOneWins(answers: Answer[]): void {
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, AT_ONCE - 1)
  for (const answer of refused) assertError(answer, 400, 'invalid_grant')
}

async function liveTokens({ db }: TokenScene, applicationId: string): Promise<number> {
  const rows = await db`
    select 1 from refresh_tokens join refresh_families family on family.id = family_id
    where application_id = ${applicationId} and consumed_at is null and revoked_at is null and expires_at > now()`
  return rows.length
}

async function families({ db }: TokenScene, applicationId: string): Promise<number> {
  return (await db`select 1 from refresh_families where application_id = ${applicationId}`).length
}
