import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, assertError } from '../harness/answer.ts'
import { startDatabaseProxy } from '../harness/database-proxy.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'
import { PRODUCTION, startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const proxy = await startDatabaseProxy()
const scene = await startTokenScene({}, proxy.urlOf)
const second = await startSecondProcess(scene.service)
after(async () => {
  await second.stop()
  await scene.service.stop()
  await proxy.close()
})
const { db } = scene
const everywhere = [scene.url, second.url]

const get = (application: TestApplication, at: string) =>
  scene.token(application, { grant_type: 'client_credentials', audience: PRODUCTION }, at)

/** An application that every process has in its cache. */
async function wellKnown(): Promise<TestApplication> {
  const application = await scene.application({ clientCredentials: true, webOrigins: [] })
  for (const url of everywhere) assert.equal((await get(application, url)).status, 200)
  return application
}

async function assertEverywhere(
  what: string,
  isSo: (url: string) => Promise<Answer>,
  status: number,
  error?: string,
): Promise<void> {
  const came = await Promise.all(
    everywhere.map((url) => soonHeard(db, async () => (await isSo(url)).status === status)),
  )
  assert.deepEqual(came, [true, true], what)
  for (const url of everywhere) if (error !== undefined) assertError(await isSo(url), status, error)
}

// Each by plain SQL, as an operator with a console would: what is announced does not depend on our own statements.
const changes: Array<[string, (application: TestApplication) => Promise<unknown>, number, string]> = [
  [
    'a secret revoked',
    ({ id }) => db`update application_secrets set revoked_at = now() where application_id = ${id}`,
    401,
    'invalid_client',
  ],
  [
    'a secret deleted',
    ({ id }) => db`delete from application_secrets where application_id = ${id}`,
    401,
    'invalid_client',
  ],
  [
    'suspended',
    ({ id }) => db`update applications set suspended_at = now() where id = ${id}`,
    400,
    'unauthorized_client',
  ],
  [
    'the grant removed',
    ({ id }) => db`update applications set client_credentials = false where id = ${id}`,
    400,
    'unauthorized_client',
  ],
  [
    'the environment removed',
    ({ id }) => db`update applications set environments = '{sandbox}' where id = ${id}`,
    400,
    'invalid_target',
  ],
  ['deleted', ({ id }) => db`update applications set deleted_at = now() where id = ${id}`, 401, 'invalid_client'],
  ['gone altogether', ({ id }) => db`delete from applications where id = ${id}`, 401, 'invalid_client'],
]
for (const [what, change, status, error] of changes) {
  test(`${what}: ${status} ${error} at every process within a second`, async () => {
    const application = await wellKnown()
    await change(application)
    await assertEverywhere(what, (url) => get(application, url), status, error)
  })
}

test('a suspension and its end reach the bearer check too', async () => {
  const application = await wellKnown()
  const { access } = await scene.grant(application)
  for (const url of everywhere) assert.equal((await scene.userinfo(access, url)).status, 200)
  await db`update applications set suspended_at = now() where id = ${application.id}`
  await assertEverywhere('refused', (url) => scene.userinfo(access, url), 401)
  await db`update applications set suspended_at = null where id = ${application.id}`
  await assertEverywhere('taken again', (url) => scene.userinfo(access, url), 200)
})

test('a grant turned on: 200 at every process within a second', async () => {
  const application = await scene.application({ clientCredentials: false })
  for (const url of everywhere) assertError(await get(application, url), 400, 'unauthorized_client')
  await db`update applications set client_credentials = true where id = ${application.id}`
  await assertEverywhere('turned on', (url) => get(application, url), 200)
})

test('a change that is rolled back changes nothing, and one that commits late is not missed', async () => {
  const application = await wellKnown()
  const mayCommit = Promise.withResolvers<void>()
  const late = db.begin(async (tx) => {
    await tx`update applications set suspended_at = now() where id = ${application.id}`
    await mayCommit.promise
  })
  const rolledBack = db.begin(async (tx) => {
    await tx`insert into announcements (topic, key, expires_at) values ('application', 'x', now())`
    throw new Error('rolled back')
  })
  await assert.rejects(rolledBack, /rolled back/)
  // Longer than a process waits between two looks: others look, and commit, in the meantime.
  await sleep(800)
  for (const url of everywhere) assert.equal((await get(application, url)).status, 200)
  mayCommit.resolve()
  await late
  await assertEverywhere('suspended', (url) => get(application, url), 400, 'unauthorized_client')
})

/**
 * What goes on without anybody asking: looks, settlements, tidying up, and the transactions of the delivery worker, whose
 * first and last words say nothing about what is in them. All else would be the price of a request.
 */
const BACKGROUND = new RegExp(
  [
    'announcements|rate_buckets|clock_timestamp\\(\\)|successor_until|last_used_at|^\\s*delete from',
    'webhook_schedules|deliver|departed_webhooks|replays|^begin|^commit|set_config|insert into request_log',
    // Which applications can be restored no more is asked every minute.
    'deleted_at is not null',
  ].join('|'),
)

test('client_credentials costs no statement once the application is cached', async () => {
  const application = await scene.application({ clientCredentials: true, ratePerSecond: 10_000, rateBurst: 10_000 })
  const looks = () =>
    proxy.statements.filter((statement) => /from announcements|join announcements/.test(statement)).length
  // That it is new was announced too, which makes a process read it again; two looks later that is over.
  const before = looks()
  assert.ok(await soon(async () => looks() >= before + 2, PATIENCE_MS))
  const started = proxy.statements.length
  assert.equal((await get(application, scene.url)).status, 200)
  const first = proxy.statements.slice(started).filter((statement) => !BACKGROUND.test(statement))
  assert.equal(first.length, 1, 'the first one reads the application')
  assert.match(first[0] ?? '', /from applications/)

  const mark = proxy.statements.length
  const began = performance.now()
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(application, scene.url)))
    assert.ok(answers.every(({ status }) => status === 200))
  }
  const during = proxy.statements.slice(mark)
  const ofRequests = during.filter((statement) => !BACKGROUND.test(statement))
  assert.deepEqual(ofRequests, [])
  // The rate limit is told ten times a second, however many requests there were; one may be under way at either end.
  const settled = during.filter((statement) => /rate_buckets/.test(statement)).length
  const seconds = (performance.now() - began) / 1_000
  assert.ok(settled <= 10 * seconds + 2, `${settled} settlements`)
  // The request log is written once a second, all requests in one statement.
  const logged = during.filter((statement) => /insert into request_log/.test(statement)).length
  assert.ok(logged <= seconds + 2, `${logged} times`)
})

test('what support took away is gone from refreshed tokens too, and the family outlives it', async () => {
  const application = await scene.application()
  const scope = ['openid', 'offline_access', 'marketplace:read', 'marketplace:write']
  const granted = await scene.grant(application, { scope, audience: PRODUCTION })

  await db`update applications set api_scopes = '{marketplace:read}' where id = ${application.id}`
  let refresh = granted.refresh
  const reduced = await soonHeard(db, async () => {
    const answer = await scene.refresh(application, refresh)
    refresh = String(answer.body['refresh_token'])
    return answer.body['scope'] === 'openid offline_access marketplace:read'
  })
  assert.ok(reduced, 'the removed scope is granted no more')

  await db`update applications set environments = '{sandbox}' where id = ${application.id}`
  let refused: Answer | undefined
  const closed = await soonHeard(db, async () => {
    refused = await scene.refresh(application, refresh)
    if (refused.status === 200) refresh = String(refused.body['refresh_token'])
    return refused.status === 400
  })
  assert.ok(closed && refused)
  assertError(refused, 400, 'invalid_target')

  await db`update applications set environments = '{production,sandbox}' where id = ${application.id}`
  assert.ok(
    await soonHeard(db, async () => (await scene.refresh(application, refresh)).status === 200),
    'nothing was used up',
  )
})
