import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openKeyRing } from '../../src/domain/keys/key-ring.ts'
import { SIGNING_ALGORITHMS } from '../../src/domain/keys/signing-key.ts'
import {
  ensureSigningKeys,
  KEY_LOCK,
  readSigningKeys,
  rotateDueKeys,
  rotateKeys,
} from '../../src/domain/keys/signing-key-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
const { db } = database
const processes = Array.from({ length: 6 }, () => openDatabase({ url: database.url }, { prepare: true, poolSize: 2 }))
after(async () => {
  await Promise.all(processes.map((one) => one.end()))
  await database.drop()
})
const cipher = createCipher(randomBytes(32))
const HOUR = 3_600_000
const DAY = 24 * HOUR

beforeEach(() => db`truncate signing_keys, announcements`)

const atOnce = <Value>(work: (db: Db) => Promise<Value>) => Promise.all(processes.map((one) => work(one)))
async function count(): Promise<number> {
  return (await db`select 1 from signing_keys`).length
}
/** The keys as a process holds them whose clock shows this many milliseconds from now. */
const ringAt = (ms: number) => openKeyRing(db, cipher, () => new Date(Date.now() + ms))
const kids = async (ms: number) => (await ringAt(ms)).published().map(({ kid }) => kid ?? '')
const signerAt = async (ms: number) => (await ringAt(ms)).signer('ES256').kid

test('many processes that start at once make one key of each algorithm', async () => {
  await atOnce((one) => ensureSigningKeys(one, cipher))
  const rows = await db<Array<{ algorithm: string }>>`select algorithm from signing_keys order by algorithm`
  assert.deepEqual(
    rows.map(({ algorithm }) => algorithm),
    SIGNING_ALGORITHMS.toSorted(),
  )
  await ensureSigningKeys(db, cipher)
  assert.equal(await count(), 3)
})

test('the first keys sign at once', async () => {
  await ensureSigningKeys(db, cipher)
  const ring = await ringAt(0)
  for (const algorithm of SIGNING_ALGORITHMS) assert.equal(ring.signer(algorithm).algorithm, algorithm)
})

test('by a clock that runs behind, the first key signs before its time, and what it signs is verified', async () => {
  await ensureSigningKeys(db, cipher)
  assert.equal(await signerAt(-HOUR), await signerAt(0))
  assert.ok((await ringAt(-HOUR)).verificationKey(await signerAt(-HOUR)))
})

test('the private half is encrypted: another master key does not open it, nor does another row', async () => {
  await ensureSigningKeys(db, cipher)
  await assert.rejects(readSigningKeys(db, createCipher(randomBytes(32))), /not configured/)
  const [row] = await db<[{ private_key: Buffer }]>`select private_key from signing_keys where algorithm = 'EdDSA'`
  assert.ok(!row.private_key.includes(Buffer.from('302e020100300506032b6570', 'hex')), 'no PKCS#8 to be seen')
  await db`update signing_keys set private_key = ${row.private_key} where algorithm = 'ES256'`
  await assert.rejects(readSigningKeys(db, cipher))
})

test('before ninety days the schedule does nothing; a day before, many processes make one next key each', async () => {
  await ensureSigningKeys(db, cipher)
  await db`update signing_keys set signs_from = now() - interval '88 days 23 hours'`
  assert.deepEqual(await atOnce((one) => rotateDueKeys(one, cipher)), [0, 0, 0, 0, 0, 0])
  await db`update signing_keys set signs_from = now() - interval '89 days 1 minute'`
  const made = await atOnce((one) => rotateDueKeys(one, cipher))
  assert.equal(
    made.reduce((sum, each) => sum + each, 0),
    3,
  )
  assert.equal(await count(), 6)
})

test('the next key is published a day before it signs; the retired one stays until its last token died', async () => {
  await ensureSigningKeys(db, cipher)
  const old = await signerAt(0)
  await rotateKeys(db, cipher, 'tomorrow')
  const next = (await readSigningKeys(db, cipher)).find(({ algorithm, kid }) => algorithm === 'ES256' && kid !== old)
  assert.ok(next)
  const both = [old, next.kid]
  const moments: Array<[number, string, string[]]> = [
    [0, old, both],
    [DAY - HOUR, old, both],
    [DAY + 60_000, next.kid, both],
    [DAY + HOUR + 60_000, next.kid, both],
    [DAY + HOUR + 11 * 60_000, next.kid, [next.kid]],
  ]
  for (const [ms, signs, published] of moments) {
    assert.equal(await signerAt(ms), signs)
    assert.deepEqual((await kids(ms)).filter((kid) => both.includes(kid)).toSorted(), published.toSorted())
    const ring = await ringAt(ms)
    for (const kid of both) assert.equal(ring.verificationKey(kid) !== null, published.includes(kid))
  }
})

test('the private half is erased when it signs no more, and what it signed is still verified', async () => {
  await ensureSigningKeys(db, cipher)
  const old = await signerAt(0)
  await rotateKeys(db, cipher, 'tomorrow')
  const erased = () => db<Array<{ kid: string }>>`select kid from signing_keys where private_key is null`
  await db`update signing_keys set signs_until = now() - interval '9 minutes', published_until = now() + interval '61 minutes'
           where kid = ${old}`
  await rotateDueKeys(db, cipher)
  assert.deepEqual([...(await erased())], [], 'clocks of other machines may run behind')
  await db`update signing_keys set signs_until = now() - interval '11 minutes' where kid = ${old}`
  await rotateDueKeys(db, cipher)
  assert.deepEqual(
    (await erased()).map(({ kid }) => kid),
    [old],
  )
  assert.ok((await ringAt(0)).verificationKey(old))
})

test('in an emergency the new key signs as soon as every process knows it, and overtakes one that waits', async () => {
  await ensureSigningKeys(db, cipher)
  await rotateKeys(db, cipher, 'tomorrow')
  const before = await kids(0)
  await rotateKeys(db, cipher, 'now')
  const signs = await signerAt(3_000)
  assert.ok(!before.includes(signs))
  const [made] = await db<[{ at: Date }]>`select created_at as at from signing_keys where kid = ${signs}`
  const ring = await openKeyRing(db, cipher, () => made.at)
  assert.ok(before.includes(ring.signer('ES256').kid), 'two seconds later, not at once')
  for (const ms of [HOUR, DAY + HOUR, 30 * DAY]) assert.equal(await signerAt(ms), signs)
})

test('in an emergency the two seconds begin when it is its turn, however long that was waited for', async () => {
  await ensureSigningKeys(db, cipher)
  const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${KEY_LOCK})`
    held.resolve()
    await free.promise
  })
  await held.promise
  const rotating = rotateKeys(db, cipher, 'now')
  await sleep(3_000)
  const freed = Date.now()
  free.resolve()
  await Promise.all([holding, rotating])
  const rows = await db<Array<{ from: Date }>>`select signs_from as from from signing_keys where signs_until is null`
  assert.equal(rows.length, SIGNING_ALGORITHMS.length)
  for (const { from } of rows) assert.ok(from.getTime() >= freed + 2_000, `${from.getTime() - freed} ms`)
})

test('rotating many times over leaves one current key at every moment', async () => {
  await ensureSigningKeys(db, cipher)
  for (const when of ['tomorrow', 'tomorrow', 'now', 'tomorrow', 'now'] as const) await rotateKeys(db, cipher, when)
  for (let hours = 0; hours <= 60; hours += 3) {
    for (const algorithm of SIGNING_ALGORITHMS) assert.ok((await ringAt(hours * HOUR)).signer(algorithm))
  }
})

test('a new key is announced', async () => {
  await ensureSigningKeys(db, cipher)
  await db`truncate announcements`
  await rotateKeys(db, cipher, 'tomorrow')
  const rows = await db<Array<{ topic: string }>>`select topic from announcements`
  assert.deepEqual(
    rows.map(({ topic }) => topic),
    ['keys', 'keys', 'keys'],
  )
})
