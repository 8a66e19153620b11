import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/platform/db.ts'
import { within } from '../../src/platform/within.ts'
import { type CuttableProxy, startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts'

// The database moves, stops, or is cut off, while the service starts and while it runs.

let database: TestDatabase
let first: CuttableProxy
let second: CuttableProxy

before(async () => {
  database = await createTestDatabase()
  const target = { host: '127.0.0.1', port: Number(new URL(database.url).port) }
  first = await startCuttableProxy(target)
  second = await startCuttableProxy(target)
})
after(async () => {
  await Promise.all([first.close(), second.close()])
  await database.drop()
})

const through = (...proxies: CuttableProxy[]) =>
  database.url.replace(/(?<=@)[^/]+/, proxies.map(({ port }) => `127.0.0.1:${port}`).join(','))

async function startService(url: string): Promise<HandoverProcess & { url: string }> {
  const service = runHandover(['serve'], {
    AUTH_URL: 'https://id.example.com',
    HANDOVER_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    HANDOVER_HOST: '127.0.0.1',
    HANDOVER_LOG_LEVEL: 'info',
    DATABASE_URL: url,
    PORT: '0',
    METRICS_PORT: '0',
  })
  const [, port] = await service.says(/"port":(\d+),/)
  return { ...service, url: `http://127.0.0.1:${port}` }
}

async function stop(service: HandoverProcess): Promise<void> {
  service.child.kill('SIGTERM')
  assert.equal(await within(15_000, 'Stopping', service.ended), 0, service.err())
}

async function probe(service: { url: string }): Promise<{ status: number; ms: number }> {
  const asked = performance.now()
  const { status } = await fetch(`${service.url}/readyz`)
  return { status, ms: performance.now() - asked }
}

async function becomes(service: { url: string }, status: number, withinMs: number): Promise<void> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(50)) {
    if ((await probe(service)).status === status) return
  }
  assert.fail(`/readyz did not become ${status} within ${withinMs} ms`)
}

for (const how of ['refuse', 'reset', 'hang'] as const) {
  test(`with the first of two hosts down (${how}) the service starts on the second`, async () => {
    await first.cut(how)
    try {
      const service = await startService(through(first, second))
      assert.equal((await probe(service)).status, 200)
      await stop(service)
    } finally {
      await first.mend()
    }
  })

  test(`one host, cut while the service runs (${how}): /readyz says so in time, /healthz stays, and all is well when it is back`, async () => {
    const service = await startService(through(first))
    try {
      // Some connections that are in the pool when it happens.
      await Promise.all(Array.from({ length: 20 }, () => probe(service)))
      await first.cut(how)
      const down = await probe(service)
      assert.equal(down.status, 503)
      assert.ok(down.ms < 4_000, `${down.ms} ms`)
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
      await first.mend()
      await becomes(service, 200, 10_000)
    } finally {
      await first.mend()
      await stop(service)
    }
  })
}

test('two hosts: the service moves to the second when the first goes away, and back', async () => {
  const service = await startService(through(first, second))
  try {
    for (const [down, up] of [
      [first, second],
      [second, first],
    ] as const) {
      await down.cut('refuse')
      await becomes(service, 200, 5_000)
      assert.ok(up.open() > 0)
      await down.mend()
    }
  } finally {
    await stop(service)
  }
})

test('two hosts, both down: the wait is bounded and nobody is hammered', async () => {
  await Promise.all([first.cut('reset'), second.cut('reset')])
  const db = openDatabase({ url: through(first, second) }, { prepare: true, poolSize: 5 })
  try {
    const before = first.tried() + second.tried()
    const outcomes = await within(3_000, 'Failing', Promise.allSettled(Array.from({ length: 10 }, () => db`select 1`)))
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['rejected']))
    const tried = first.tried() + second.tried() - before
    assert.ok(tried <= 20, `${tried} connections for 10 queries`)
    await Promise.all([first.mend(), second.mend()])
    await sleep(1_000)
    assert.equal((await db`select 1`).count, 1)
  } finally {
    await db.end({ timeout: 1 })
  }
})

test('of two hosts the one that takes writes is used, whichever comes first', async () => {
  const [{ name }] = await database.db<[{ name: string }]>`select current_database() as name`
  const readOnly = await createTestDatabase()
  // A standby says the same of its transactions as a database that is read only by default.
  const [{ other }] = await readOnly.db<[{ other: string }]>`select current_database() as other`
  await readOnly.db.unsafe(`alter database ${other} set default_transaction_read_only = on`)
  const { hostChooser } = await import('../../src/platform/database-hosts.ts')
  const urls: Record<number, string> = { 1: readOnly.url, 2: database.url }
  try {
    const choose = hostChooser(
      [
        { host: 'standby', port: 1 },
        { host: 'primary', port: 2 },
      ],
      async ({ port }) => {
        const db = openDatabase({ url: urls[port] ?? '' }, { prepare: true, poolSize: 1 })
        const [row] = await db<[{ writes: boolean }]>`select current_setting('transaction_read_only') = 'off' as writes`
        await db.end()
        return row.writes
      },
    )
    assert.deepEqual(await choose(), { host: 'primary', port: 2 })
    assert.ok(name)
  } finally {
    await readOnly.drop()
  }
})

test('a whole pool of connections that went silent for ever is replaced', async () => {
  const db = openDatabase({ url: through(first) }, { prepare: true, poolSize: 3, silenceLimitMs: 1_000 })
  try {
    await Promise.all([1, 2, 3].map(() => db`select pg_sleep(0.05)`))
    await first.cut('hang')
    const stuck = Promise.allSettled([1, 2, 3].map((n) => db.begin((tx) => tx`select ${n}::int`)))
    await sleep(100)
    await first.mend()
    const outcomes = await within(5_000, 'Giving up', stuck)
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['rejected']))
    assert.equal((await within(2_000, 'A query', db`select 1`)).count, 1)
  } finally {
    await first.mend()
    await db.end({ timeout: 1 })
  }
})

test('hundreds of probes while the database hangs do not pile up connections, and a stop is not held up', async () => {
  const service = await startService(through(first))
  try {
    await first.cut('hang')
    const opened = first.tried()
    for (let turn = 0; turn < 2; turn++) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => probe(service)))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
      assert.ok(Math.max(...answers.map(({ ms }) => ms)) < 4_000)
    }
    assert.ok(first.tried() - opened <= 4, `${first.tried() - opened} new connections for 400 probes`)
    await stop(service)
  } finally {
    await first.mend()
    service.child.kill('SIGKILL')
  }
})
