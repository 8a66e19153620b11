import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { within } from '../../src/platform/within.ts'
import { pipeHandover } from '../harness/piped-handover.ts'
import { runHandover } from '../harness/process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'
import { contentOf, isUntouched } from '../harness/transfer.ts'

// Either end of `handover export | handover import` is killed in the middle: the other says so, and nothing is imported.

const source = await createTestDatabase()
const target = await createTestDatabase('empty')
const from = { DATABASE_URL: source.url }
const to = { DATABASE_URL: target.url }

before(async () => {
  await source.db`insert into teams (id, name) select 'tem_' || n, repeat('x', 1000) from generate_series(1, 5000) as n`
})
after(async () => {
  await source.drop()
  await target.drop()
})

/** Passes on so many bytes and not one more. */
async function pass(output: Readable | null, input: Writable | null, bytes: number): Promise<void> {
  assert.ok(output !== null && input !== null)
  for (let left = bytes; left > 0; ) {
    const chunk: unknown = output.read(Math.min(left, 65_536)) ?? output.read()
    if (Buffer.isBuffer(chunk)) {
      left -= chunk.length
      if (!input.write(chunk)) await once(input, 'drain')
    } else await once(output, 'readable')
  }
}

const isFilling = async () => {
  const rows = await target.db`
    select 1 from pg_stat_activity where datname = current_database() and query like 'copy "teams"%' and state = 'active'`
  return rows.length === 1
}

test('kill -9 of the export: the import refuses what it got', async () => {
  const exporting = pipeHandover(['export'], from)
  const importing = pipeHandover(['import'], to, 'pipe')
  await within(PATIENCE_MS, 'Half of it', pass(exporting.child.stdout, importing.child.stdin, 2_000_000))
  assert.ok(await soon(isFilling, PATIENCE_MS))
  exporting.child.kill('SIGKILL')
  importing.child.stdin?.end()
  assert.equal(await exporting.ended, 'SIGKILL')
  assert.equal(await importing.ended, 1)
  assert.match(importing.err(), /^handover: The export ends in the middle.*Nothing was imported/)
  assert.ok(await isUntouched(target.db))
})

test('kill -9 of the import: the export fails, nothing is there, and the next import works', async () => {
  const exporting = pipeHandover(['export'], from)
  const importing = pipeHandover(['import'], to, 'pipe')
  importing.child.stdin?.on('error', () => {})
  await within(PATIENCE_MS, 'Half of it', pass(exporting.child.stdout, importing.child.stdin, 2_000_000))
  assert.ok(await soon(isFilling, PATIENCE_MS))
  importing.child.kill('SIGKILL')
  assert.equal(await importing.ended, 'SIGKILL')
  exporting.child.stdout?.destroy()
  assert.equal(await exporting.ended, 1)
  assert.match(exporting.err(), /^handover: The export cannot be written any further \(EPIPE\)/)
  assert.ok(await soon(() => isUntouched(target.db), PATIENCE_MS))

  const again = pipeHandover(['import'], to, pipeHandover(['export'], from).child)
  assert.equal(await again.ended, 0, again.err())
  assert.deepEqual(await contentOf(target.db), await contentOf(source.db))
})

test('a full disk is said, and nothing is left of a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'handover-export-'))
  const full = await open('/dev/full', 'w')
  try {
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
    const child = spawn(process.execPath, [main, 'export'], {
      env: { PATH: process.env['PATH'], ...from },
      stdio: ['ignore', full.fd, 'pipe'],
    })
    const [said, [code]] = await Promise.all([child.stderr?.toArray(), once(child, 'exit')])
    assert.equal(code, 1)
    assert.match(String(said), /cannot be written any further \(ENOSPC\)/)

    // Nobody gets the table, so that the export waits until it is interrupted.
    await source.db.begin(async (tx) => {
      // Kept for as long as a process takes to start.
      await tx`set local idle_in_transaction_session_timeout = 0`
      await tx`lock table teams in access exclusive mode`
      const waiting = runHandover(['export', '--to', join(folder, 'backup')], from)
      assert.ok(await soon(async () => (await readdir(folder)).length === 1, PATIENCE_MS))
      const isWaiting = () => source.db`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      assert.ok(await soon(async () => (await isWaiting()).length > 0, PATIENCE_MS))
      waiting.child.kill('SIGTERM')
      assert.equal(await waiting.ended, 1, waiting.err())
      assert.match(waiting.err(), /^handover: Interrupted\.$/m)
    })
    assert.deepEqual(await readdir(folder), [])
  } finally {
    await full.close()
    await rm(folder, { recursive: true })
  }
})

test('neither is for a terminal', { skip: !existsSync('/usr/bin/script') && 'there is no script(1)' }, async () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  for (const [command, reason] of [
    ['export', /not for reading on a terminal: name a file with --to/],
    ['import', /nothing to import: name a file with --from/],
  ] as const) {
    const child = spawn('/usr/bin/script', ['-qec', `${process.execPath} ${main} ${command}`, '/dev/null'], {
      env: { PATH: process.env['PATH'], ...from },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said, [code]] = await Promise.all([child.stdout.toArray(), once(child, 'exit')])
    assert.equal(code, 1)
    assert.match(String(said), reason)
  }
})
