import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostChooser } from '../../src/platform/database-hosts.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { within } from '../../src/platform/within.ts'
import { type CuttableProxy, startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { startWatch } from '../harness/soon.ts'
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts'

// The database moves, stops, or is cut off, while the service starts and while it runs.

const POOL = 5

/** Less than the 12 s after which a silent connection is given up, where that must not be what helps. */
const PATIENCE_MS = 10_000

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
    HANDOVER_DATABASE_POOL: String(POOL),
    DATABASE_URL: url,
    PORT: '0',
    METRICS_PORT: '0',
  })
  const [, port] = await service.says(/"port":(\d+),/)
  return { ...service, url: `http://127.0.0.1:${port}` }
}

async function stop(service: HandoverProcess): Promise<void> {
  service.child.kill('SIGTERM')
  assert.equal(await within(40_000, 'Stopping', service.ended), 0, service.err())
}

async function probe(service: { url: string }): Promise<{ status: number; ms: number }> {
  const watch = startWatch()
  const { status } = await fetch(`${service.url}/readyz`)
  return { status, ms: watch() }
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
      await becomes(service, 200, PATIENCE_MS)
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
      // What was connected when everything went silent is given up after 12 s.
      await becomes(service, 200, how === 'hang' ? 40_000 : PATIENCE_MS)
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
      await becomes(service, 200, PATIENCE_MS)
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
    const already = first.tried() + second.tried()
    const outcomes = await within(
      PATIENCE_MS,
      'Failing',
      Promise.allSettled(Array.from({ length: 10 }, () => db`select 1`)),
    )
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['rejected']))
    const tried = first.tried() + second.tried() - already
    assert.ok(tried <= 20, `${tried} connections for 10 queries`)
    await Promise.all([first.mend(), second.mend()])
    await sleep(1_000)
    assert.equal((await db`select 1`).count, 1)
  } finally {
    await db.end({ timeout: 1 })
  }
})

test('of several hosts the first that takes writes is used: not a standby, and not one that is silent', async () => {
  const host = (port: number) => ({ host: `host-${port}`, port })
  const answers = new Map<number, () => Promise<number | null>>([
    [1, () => new Promise(() => {})],
    [2, async () => null],
    [3, async () => 1],
    [4, async () => 1],
    [5, () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))],
    [6, () => Promise.reject(new Error('password authentication failed'))],
  ])
  const choose = (...ports: number[]) =>
    hostChooser(ports.map(host), ({ port }) => answers.get(port)?.() ?? Promise.resolve(null))()
  assert.deepEqual(await choose(1, 2, 5, 3, 4), host(3))
  assert.deepEqual(await choose(4, 3), host(4))
  await assert.rejects(choose(5, 2), /host-2:2 takes no writes/)
  await assert.rejects(choose(5, 6), /password authentication failed/, 'what a server said tells more than no answer')
})

test('a primary that was replaced and comes back is not chosen: not beside the new one, and not when that one is away', async () => {
  const [old, replacement] = [
    { host: 'first', port: 1 },
    { host: 'second', port: 2 },
  ]
  const lines = new Map<string, number | null | Error>([
    ['first', 1],
    ['second', null],
  ])
  const choose = hostChooser([old, replacement], async ({ host }) => {
    const line = lines.get(host)
    if (line instanceof Error) throw line
    return line ?? null
  })
  assert.deepEqual(await choose(), old)
  lines.set('first', new Error('gone')).set('second', 2)
  assert.deepEqual(await choose(), replacement)
  lines.set('first', 1)
  assert.deepEqual(await choose(), replacement)
  lines.set('second', null)
  await assert.rejects(choose(), /first:1 was replaced by another server/)
  lines.set('first', 3)
  assert.deepEqual(await choose(), old, 'it was made the primary again')
})

test('the server asks for a sign of life, so that it does not keep the locks of a machine that is gone', async () => {
  const db = openDatabase({ url: through(first) }, { prepare: true, poolSize: 1 })
  try {
    const [row] = await db<[{ seconds: number }]>`
      select (current_setting('tcp_keepalives_idle')::int
        + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int) as seconds`
    assert.equal(row.seconds, 25)
  } finally {
    await db.end({ timeout: 1 })
  }
})

test('a whole pool of connections that went silent for ever is replaced', async () => {
  // Longer than a busy machine is silent by itself.
  const db = openDatabase({ url: through(first) }, { prepare: true, poolSize: 3, silenceLimitMs: 4_000 })
  try {
    await Promise.all([1, 2, 3].map(() => db`select pg_sleep(0.05)`))
    await first.cut('hang')
    const stuck = Promise.allSettled([1, 2, 3].map((n) => db.begin((tx) => tx`select ${n}::int`)))
    await sleep(100)
    await first.mend()
    const outcomes = await within(PATIENCE_MS, 'Giving up', stuck)
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['rejected']))
    assert.equal((await within(PATIENCE_MS, 'A query', db`select 1`)).count, 1)
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
    const began = performance.now()
    for (let turn = 0; turn < 2; turn++) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => probe(service)))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
      assert.ok(Math.max(...answers.map(({ ms }) => ms)) < 4_000)
    }
    // Each of the pool's is given up after 2 s, and tried again by whoever comes next.
    const rounds = 2 + (performance.now() - began) / 2_000
    assert.ok(first.tried() - opened <= rounds * POOL, `${first.tried() - opened} new connections for 400 probes`)
    await stop(service)
  } finally {
    await first.mend()
    service.child.kill('SIGKILL')
  }
})
