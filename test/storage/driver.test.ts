import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, type DbOrTransaction, openDatabase } from '../../src/platform/db.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { within } from '../../src/platform/within.ts'
import { type CuttableProxy, startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { startOneWay } from '../harness/one-way.ts'
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts'

// What a pool must survive: a server that restarts and a network that breaks, in the middle of everything. An error that
// reaches nobody would end the service; here it fails the test.

/** Less than the silence after which a connection is given up, which must not be what saves it here. */
const PATIENCE_MS = 10_000

let database: TestDatabase
let proxy: CuttableProxy

before(async () => {
  database = await createTestDatabase('empty')
  proxy = await startCuttableProxy({ host: '127.0.0.1', port: Number(new URL(database.url).port) })
  await database.db`create table rows (id int primary key, pair int not null)`
})
after(async () => {
  await proxy.close()
  await database.drop()
})

function open(poolSize: number): Db {
  const url = new URL(database.url)
  url.port = String(proxy.port)
  return openDatabase({ url: url.href }, { prepare: true, poolSize })
}

/** As a restart of the server does it, to every connection of the pool. */
async function endBackends(share: number): Promise<void> {
  await database.db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and random() < ${share}`
}

test('connections are reset, refused and ended by the server under load: nothing acknowledged is lost, and every connection works again', async () => {
  const db = open(10)
  const acknowledged: number[] = []
  let next = 1
  const stopping = new AbortController()

  const insert = async () => {
    const id = next++
    await db`insert into rows values (${id}, 0)`
    acknowledged.push(id)
  }
  const insertPair = async (pauseMs: number) => {
    const [one, other] = [next++, next++]
    await transaction(db, async (tx) => {
      await tx`insert into rows values (${one}, ${one})`
      if (pauseMs > 0) await sleep(pauseMs)
      await tx`insert into rows values (${other}, ${one})`
    })
    acknowledged.push(one, other)
  }
  const clients = Array.from({ length: 40 }, async (_, client) => {
    while (!stopping.signal.aborted) {
      const turn = client % 2 === 0 ? insert() : insertPair(client % 4 === 1 ? 0 : Math.random() * 10)
      // An error is what a client must expect here; what counts is what it was told had worked.
      await turn.catch(() => sleep(client % 3))
    }
  })

  for (let turn = 0; turn < 40; turn++) {
    await sleep(40 + Math.random() * 40)
    if (turn % 3 === 2) await endBackends(0.5)
    else {
      await proxy.cut(turn % 3 === 0 ? 'refuse' : 'reset')
      await sleep(5)
      await proxy.mend()
    }
  }
  await sleep(1_500)
  stopping.abort()
  await within(PATIENCE_MS, 'Every client going on', Promise.all(clients))

  await within(
    PATIENCE_MS,
    'Every connection',
    Promise.all(Array.from({ length: 30 }, () => db`select pg_sleep(0.02)`)),
  )
  const rows = await database.db<Array<{ id: number; pair: number }>>`select id, pair from rows`
  const stored = new Set(rows.map(({ id }) => id))
  assert.ok(acknowledged.length > 100, `${acknowledged.length} acknowledged`)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
  const halves = await database.db`select pair from rows where pair > 0 group by pair having count(*) <> 2`
  assert.equal(halves.length, 0, 'transactions are whole')
  // Long before it would cut what is not done.
  await within(PATIENCE_MS, 'Closing the pool', db.end({ timeout: 60 }))
})

test('a transaction that lost its connection cannot go on, and does not touch the one that has the connection now', async () => {
  const db = open(1)
  try {
    const begun = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    const toldInside = Promise.withResolvers<string>()
    const lost = transaction(db, async (tx) => {
      await tx`insert into rows values (-1, -1)`
      begun.resolve()
      await resumed.promise
      await tx`insert into rows values (-2, -1)`.then(
        () => toldInside.resolve('done'),
        (error: unknown) => toldInside.resolve(String(error)),
      )
      await tx`insert into rows values (-3, -1)`
    })
    // Watched from here on: the connection may be gone before the one that ended it has its answer.
    const told = assert.rejects(lost, { code: 'CONNECTION_CLOSED' })
    await begun.promise
    await endBackends(1)
    await told
    await transaction(db, async (tx) => {
      await tx`insert into rows values (-4, -4)`
      resumed.resolve()
      assert.match(await toldInside.promise, /CONNECTION_CLOSED/)
      await sleep(20)
      await tx`insert into rows values (-5, -4)`
    })
    const rows = await database.db<Array<{ id: number }>>`select id from rows where id < 0 order by id desc`
    assert.deepEqual(
      rows.map(({ id }) => id),
      [-4, -5],
    )
  } finally {
    await db.end({ timeout: 1 })
  }
})

test('statements that fail while their types are asked for, or before: each fails for itself, and every other is answered its own', async () => {
  const many = openDatabase({ url: database.url }, { prepare: true, poolSize: 3 })
  const kinds: Array<[(db: DbOrTransaction, turn: number) => Promise<unknown>, RegExp | null]> = [
    [(db, turn) => db.unsafe(`select $1::int + ${turn} as n`, [1]).then(([row]) => row?.['n']), null],
    [
      (db, turn) => db.unsafe(`select * from missing_${turn} where id = $1`, [1]),
      /relation "missing_\d+" does not exist/,
    ],
    [(db, turn) => db.unsafe(`select $1::timestamptz, ${turn}`, [new Date(NaN)]), /Invalid time value/],
    [(db) => db`select ${'x'}::int`, /invalid input syntax/],
    [(db) => db`select 1 as n`.then(([row]) => row?.['n']), null],
  ]
  const run = async (db: DbOrTransaction, turn: number): Promise<void> => {
    const [ask, fails] = kinds[turn % kinds.length] ?? assert.fail()
    if (fails !== null) return assert.rejects(ask(db, turn), fails)
    assert.equal(await ask(db, turn), turn % kinds.length === 0 ? turn + 1 : 1)
  }
  const turns = Array.from({ length: 100 }, (_, turn) => turn)
  const inTransaction = async (turn: number) => {
    const fails = kinds[turn % kinds.length]?.[1]
    const done = many.begin(async (tx) => {
      await tx`select ${turn}::int`
      await run(tx, turn)
    })
    // What failed inside has ended it.
    await (fails === null ? done : assert.rejects(done))
  }
  try {
    await within(PATIENCE_MS, 'Everybody', Promise.all(turns.flatMap((turn) => [run(many, turn), inTransaction(turn)])))
    await within(PATIENCE_MS, 'Everybody again', Promise.all(turns.map((turn) => run(many, turn))))
  } finally {
    await many.end({ timeout: 0 })
  }
})

test('a network that goes silent between two messages of a statement leaves no lock behind', async () => {
  await database.db`create table held (id int primary key)`
  await database.db`insert into held values (1)`
  // From the question for the types of this statement on, nothing of ours arrives, and nobody is told.
  const network = await startOneWay({ port: Number(new URL(database.url).port) }, 'swallowed from here')
  const cutOff = openDatabase({ url: network.urlOf(database.url) }, { prepare: true, poolSize: 1 })
  const lock = () =>
    cutOff.begin(async (tx) => {
      await tx`select set_config('idle_in_transaction_session_timeout', '500ms', true)`
      await tx`select id from held where id = ${1} for update`
      await tx`select ${1}::int as "swallowed from here"`
    })
  try {
    let given: Promise<unknown>
    // On a busy machine the half second may be over before it comes so far.
    do given = assert.rejects(lock())
    while (await Promise.race([network.swallowed.then(() => false), given.then(() => true)]))
    await database.db.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${`${PATIENCE_MS}ms`}, true)`
      await tx`select set_config('statement_timeout', ${`${PATIENCE_MS}ms`}, true)`
      assert.equal((await tx`select id from held where id = 1 for update`).count, 1)
    })
    await network.close()
    await given
  } finally {
    await network.close()
    await cutOff.end({ timeout: 0 })
  }
})

test('a server that hangs up on every start is given up', async () => {
  const db = open(2)
  const port = proxy.port
  await proxy.cut('refuse')
  let starts = 0
  const rude = createServer((socket) => {
    starts += 1
    socket.once('data', () => socket.end())
  }).listen(port, '127.0.0.1')
  await once(rude, 'listening')
  try {
    await assert.rejects(within(PATIENCE_MS, 'Giving up', db`select 1`), { code: 'CONNECTION_CLOSED' })
    assert.ok(starts <= 2, `${starts} starts`)
  } finally {
    await new Promise((closed) => rude.close(closed))
    await proxy.mend()
    await db.end({ timeout: 1 })
  }
})
