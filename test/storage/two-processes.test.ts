import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runHandover } from '../harness/process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const KEY = Buffer.alloc(32, 9).toString('base64')

const database = await createTestDatabase('empty')
after(database.drop)

const env = {
  AUTH_URL: 'https://id.example.com',
  HANDOVER_MASTER_KEY: KEY,
  HANDOVER_HOST: '127.0.0.1',
  DATABASE_URL: database.url,
  PORT: '0',
  METRICS_PORT: '0',
}

test('two processes start on one empty database at the same moment and both become ready', async () => {
  const processes = [
    runHandover(['serve'], env),
    runHandover(['serve', '--only', 'web'], env),
    runHandover(['serve', '--only', 'worker'], env),
  ]
  try {
    const ports = await Promise.all(processes.map(async (one) => Number((await one.says(/"port":(\d+),/))[1])))
    const said: unknown[] = []
    // Each waits two seconds for the database, and a busy machine may be silent for longer.
    const isReady = async (port: number, position: number) => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
      said[position] = await answer.json()
      return answer.ok
    }
    await Promise.all(ports.map((port, position) => soon(() => isReady(port, position), PATIENCE_MS)))
    assert.deepEqual(said, [
      { status: 'ready', checks: { database: 'ok', migrations: 'ok', worker: 'ok' } },
      { status: 'ready', checks: { database: 'ok', migrations: 'ok' } },
      { status: 'ready', checks: { database: 'ok', migrations: 'ok', worker: 'ok' } },
    ])
    const portal = await Promise.all(
      ports.map((port) =>
        fetch(`http://127.0.0.1:${port}/api/v2/public/x`).then((answer) => answer.headers.get('content-type')),
      ),
    )
    assert.deepEqual(
      portal.map((type) => type?.split(';')[0]),
      ['application/problem+json', 'application/problem+json', 'text/html'],
      'the worker has no doors',
    )
  } finally {
    for (const one of processes) one.child.kill('SIGTERM')
  }
  assert.deepEqual(await Promise.all(processes.map((one) => one.ended)), [0, 0, 0])
})

test('"handover migrate" alone brings a database up to date, and says when there was nothing to do', async () => {
  const fresh = await createTestDatabase('empty')
  try {
    const first = runHandover(['migrate'], { DATABASE_URL: fresh.url })
    assert.equal(await first.ended, 0)
    assert.match(first.out(), /^Migrated: 1/)
    const second = runHandover(['migrate'], { DATABASE_URL: fresh.url })
    assert.equal(await second.ended, 0)
    assert.equal(second.out(), 'Nothing to migrate.\n')
  } finally {
    await fresh.drop()
  }
})

test('every command explains itself', async () => {
  for (const args of [
    [],
    ['--help'],
    ['help'],
    ['serve', '--help'],
    ['demo', '-h'],
    ['migrate', '--help'],
    ['staff', '--help'],
    ['export', '--help'],
    ['import', '-h'],
  ]) {
    const ran = runHandover(args, {})
    assert.equal(await ran.ended, 0)
    assert.match(ran.out(), /^handover/)
  }
})
