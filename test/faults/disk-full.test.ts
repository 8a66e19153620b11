import assert from 'node:assert/strict'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/platform/db.ts'
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { within } from '../../src/platform/within.ts'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { isRoot, mountDisk, openScene } from './embedded-postgres-scene.ts'

// The data folder on a small disk of its own, which fills up before the start and while the service runs.

const skip = !isRoot && 'only root may mount a small disk'

async function openDisk(t: TestContext): Promise<string | null> {
  const disk = await mountDisk(await openScene(t), '160m')
  if (disk === null) t.skip('this system does not let root mount a disk')
  return disk
}

function start(t: TestContext, disk: string): HandoverProcess {
  const service = runHandover(
    ['demo'],
    { HANDOVER_DATA_DIR: join(disk, 'data'), PORT: '0', METRICS_PORT: '0', RECEIVER_PORT: '0' },
    '/',
  )
  t.after(() => service.child.kill('SIGKILL'))
  return service
}

async function ready(service: HandoverProcess): Promise<string> {
  const [, url = ''] = await within(60_000, 'The start', service.says(/Handover is ready at (\S+)/))
  return url
}

async function stop(service: HandoverProcess): Promise<void> {
  service.child.kill('SIGTERM')
  assert.equal(await within(60_000, 'Stopping', service.ended), 0, service.err())
}

/** Takes all the space but this much. */
async function fill(disk: string, left: number): Promise<void> {
  const file = await open(join(disk, 'ballast'), 'a')
  const block = Buffer.alloc(65_536)
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(disk)
      const free = bavail * bsize - left
      if (free <= 0) return
      await file.write(block, 0, Math.min(free, block.length))
    }
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOSPC', String(error))
  } finally {
    await file.close()
  }
}

const free = (disk: string) => rm(join(disk, 'ballast'))

test('a start with too little space says so in one line, and works when there is more', { skip }, async (t) => {
  const disk = await openDisk(t)
  if (disk === null) return
  for (const left of [0, 1_000_000, 12_000_000]) {
    await fill(disk, left)
    const refused = start(t, disk)
    assert.equal(await within(60_000, 'Refusing', refused.ended), 1, `${left} bytes left: ${refused.out()}`)
    assert.match(
      refused.err(),
      /^handover: [^\n]*(No space left|ENOSPC)[^\n]*free some space[^\n]*\n$/,
      `${left} bytes left`,
    )
    await free(disk)
  }
  const service = start(t, disk)
  await ready(service)
  await stop(service)
})

test('the disk fills up while the service runs: /readyz tells, the process lives, and no row is lost', {
  skip,
}, async (t) => {
  const disk = await openDisk(t)
  if (disk === null) return
  const data = join(disk, 'data')
  const service = start(t, disk)
  const url = await ready(service)
  const connection = await findRunningEmbeddedPostgres(data)
  assert.ok(connection !== null)
  const db = openDatabase({ connection }, { prepare: true, poolSize: 2 })
  const acknowledged: number[] = []
  try {
    await db`create table written (id int primary key, text text not null)`
    await fill(disk, 1_000_000)
    const failures: unknown[] = []
    for (let id = 1; failures.length < 5 && id < 20_000; id++) {
      await db`insert into written values (${id}, ${'x'.repeat(5_000)} || gen_random_uuid())`.then(
        () => acknowledged.push(id),
        (error: unknown) => {
          failures.push(error)
          return sleep(100)
        },
      )
    }
  } finally {
    await db.end({ timeout: 1 })
  }
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const full = await fetch(`${url}/readyz`)
  assert.equal(full.status, 503)
  assert.match(await full.text(), /"disk":"full"/)
  assert.equal(service.child.exitCode, null)

  await free(disk)
  service.child.kill('SIGTERM')
  assert.equal(await within(60_000, 'Stopping', service.ended), 0, service.err())
  const again = start(t, disk)
  assert.equal((await fetch(`${await ready(again)}/readyz`)).status, 200)
  const found = await findRunningEmbeddedPostgres(data)
  assert.ok(found !== null)
  const after = openDatabase({ connection: found }, { prepare: true, poolSize: 1 })
  const rows = await after<Array<{ id: number }>>`select id from written`
  await after.end({ timeout: 1 })
  const stored = new Set(rows.map(({ id }) => id))
  assert.ok(acknowledged.length > 0)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
  )
  await stop(again)
})
