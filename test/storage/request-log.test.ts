import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { dropOldRequestDays, ensureRequestDays } from '../../src/domain/requests/request-days-store.ts'
import { type AnsweredRequest, type RowsLost, startRequestLog } from '../../src/domain/requests/request-log.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { lockTable, withoutTable } from '../harness/table-lock.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)
const { db } = database
for (const id of ['app_1', 'app_2']) await insertApplication(db, newApplication({ id, name: 'Test', type: 'web' }))
beforeEach(() => db`truncate request_log`)

const REFUSAL = { error: 'invalid_grant', reason: 'The code was used before.', facts: {} }
let made = 0
const answered = (more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  at: new Date(),
  requestId: `req_${(made += 1)}`,
  applicationId: 'app_1',
  applicationIsKnown: true,
  environment: null,
  method: 'POST',
  path: '/oidc/oauth/token',
  operation: null,
  status: 400,
  refusal: REFUSAL,
  durationMs: 3,
  address: '203.0.113.7',
  ...more,
})

function started({ writeEveryMs = 600_000 } = {}) {
  const told = { no_room: 0, not_written: 0, failures: 0 }
  const lost: RowsLost = (why, count) => void (told[why] += count)
  return { told, log: startRequestLog(db, { lost, failed: () => void (told.failures += 1), writeEveryMs }) }
}

const count = async () => (await db<[{ count: number }]>`select count(*)::int from request_log`)[0].count

test('what waits is written in one statement, at the latest when the service stops', async () => {
  const { log, told } = started()
  for (let each = 0; each < 40; each += 1) log.record(answered())
  assert.equal(await count(), 0, 'not while anybody waits for an answer')
  await log.stop()
  assert.equal(await count(), 40)
  assert.deepEqual(told, { no_room: 0, not_written: 0, failures: 0 })
})

test('of one application a hundred refusals and sixty successes at once, then a sample that says how many were left out', async () => {
  const { log } = started()
  const at = new Date()
  for (let each = 0; each < 500; each += 1) {
    log.record(answered({ at }))
    log.record(answered({ at, status: 200, refusal: null }))
  }
  // A neighbour has its own measure.
  log.record(answered({ at, applicationId: 'app_2' }))
  log.record(answered({ at: new Date(at.getTime() + 3_000) }))
  await log.stop()
  const rows = await db<Array<{ application_id: string; refused: boolean; count: number; left_out: number }>>`
    select application_id, cause is not null as refused, count(*)::int, sum(left_out)::int as left_out
    from request_log group by 1, 2 order by 1, 2`
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { application_id: 'app_1', refused: false, count: 60, left_out: 0 },
      { application_id: 'app_1', refused: true, count: 101, left_out: 400 },
      { application_id: 'app_2', refused: true, count: 1, left_out: 0 },
    ],
  )
})

test('applications that there are not are not kept, and whoever claims to be one takes nobody’s room', async () => {
  const { log, told } = started()
  for (let each = 0; each < 20_000; each += 1)
    log.record(answered({ applicationId: `app_claimed_${each}`, applicationIsKnown: false }))
  log.record(answered())
  await log.stop()
  assert.equal(await count(), 1)
  assert.deepEqual(told, { no_room: 0, not_written: 0, failures: 0 })
})

test('while the database hangs, no more than five thousand wait; the others are dropped and counted', async () => {
  const applications = Array.from({ length: 200 }, (_, n) => `app_many_${n}`)
  for (const id of applications) await insertApplication(db, newApplication({ id, name: 'Test', type: 'web' }))
  const { log, told } = started({ writeEveryMs: 5 })
  const lock = await lockTable(db, 'request_log')
  log.record(answered())
  await lock.waited()
  for (const applicationId of applications)
    for (let each = 0; each < 30; each += 1) log.record(answered({ applicationId }))
  assert.equal(told.no_room, 1_000)
  await lock.release()
  assert.ok(await soon(async () => (await count()) === 5_001, PATIENCE_MS), `${await count()} rows`)
  await log.stop()
})

test('what could not be written is written later, and given up when the database keeps refusing it', async () => {
  const { log, told } = started({ writeEveryMs: 5 })
  await withoutTable(db, 'request_log', async () => {
    log.record(answered())
    assert.ok(await soon(async () => told.failures > 0, PATIENCE_MS))
    log.record(answered())
  })
  assert.ok(await soon(async () => (await count()) + told.not_written === 2, PATIENCE_MS))
  await withoutTable(db, 'request_log', async () => {
    log.record(answered())
    const before = told.not_written
    assert.ok(await soon(async () => told.not_written > before, PATIENCE_MS))
  })
  const soFar = await count()
  log.record(answered())
  assert.ok(await soon(async () => (await count()) === soFar + 1, PATIENCE_MS), 'what comes after goes on')
  await log.stop()
})

test('texts that PostgreSQL does not take do not stop the others', async () => {
  const { log, told } = started()
  const reason = `NUL \0, half a pair \ud800, a line\nbreak, ${'long '.repeat(1_000)}`
  log.record(answered({ refusal: { ...REFUSAL, reason } }))
  log.record(answered({ address: 'nonsense', requestId: "'; drop table request_log" }))
  await log.stop()
  assert.deepEqual([await count(), told.failures], [2, 0])
  const rows = await db<Array<{ reason: string }>>`select reason from request_log order by length(reason) desc`
  assert.ok((rows[0]?.reason ?? '').length <= 300)
})

test('days are made ahead, and those that ended more than a week ago are dropped', async () => {
  const days = async () => {
    const rows = await db<Array<{ ago: number }>>`
      select (now() at time zone 'utc')::date - to_date(right(relname, 8), 'YYYYMMDD') as ago
      from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'request_log'::regclass order by 1 desc`
    return rows.map(({ ago }) => ago)
  }
  await Promise.all([ensureRequestDays(db), ensureRequestDays(db)])
  // Where the database was made before midnight, there is one day more.
  const fromYesterdayOn = (await days()).filter((ago) => ago < 2)
  assert.deepEqual(fromYesterdayOn, [1, 0, -1, -2, -3, -4, -5, -6, -7])
  for (const ago of [7, 8, 9]) await makeDay(ago)
  const [first, second] = await Promise.all([dropOldRequestDays(db), dropOldRequestDays(db)])
  assert.ok(first.length + second.length >= 2)
  const olderOnes = (await days()).filter((ago) => ago > 2)
  assert.deepEqual(olderOnes, [7])
})

test('many processes drop the same days at once: each goes once, and nobody fails', async () => {
  for (let ago = 8; ago < 24; ago += 1) await makeDay(ago)
  const everybody = Array.from({ length: 8 }, () => dropOldRequestDays(db))
  const dropped = (await Promise.all([...everybody, dropOldRequestDays(db)])).flat()
  dropped.push(...(await dropOldRequestDays(db)))
  assert.equal(dropped.length, 16)
  assert.equal(new Set(dropped).size, 16)
})

test('a page is a walk along an index, whatever is asked for', async () => {
  const asked: Array<[string, ReturnType<typeof db>]> = [
    ['request_log.*of_team|team_id_id', db`team_id = 'x'`],
    ['refused|team_id_id', db`team_id = 'x' and cause is not null`],
    ['application_id', db`team_id = 'x' and application_id = 'y' and cause is not null`],
    ['cause', db`team_id = 'x' and cause = 'y' and environment = 'sandbox'`],
  ]
  for (const [index, where] of asked) {
    const plan = await db.begin(async (tx) => {
      await tx`set local enable_seqscan = off`
      await tx`set local enable_bitmapscan = off`
      return tx`explain select * from request_log where ${where} order by id desc limit 51`
    })
    const text = plan.map((row) => String(row['QUERY PLAN'])).join('\n')
    assert.match(text, new RegExp(index))
    assert.doesNotMatch(text, /->  Sort/)
    assert.doesNotMatch(text, /Seq Scan/)
  }
})

async function makeDay(ago: number): Promise<void> {
  const [day] = await db<Array<{ first: string; next: string; name: string }>>`
    select day::text as first, (day + 1)::text as next, to_char(day, 'YYYYMMDD') as name
    from (select (now() at time zone 'utc')::date - ${ago}::int as day) as days`
  await db.unsafe(
    `create table request_log_${day?.name} partition of request_log for values from ('${day?.first}') to ('${day?.next}')`,
  )
}
