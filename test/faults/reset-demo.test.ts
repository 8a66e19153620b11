import assert from 'node:assert/strict'
import { access, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseConfig } from '../../src/app/config.ts'
import { resetDemo } from '../../src/app/demo/reset-demo.ts'

// What `handover demo --reset` must not take along. That it takes the demo itself away is in first-run and demo-kill.

const folder = await mkdtemp(join(tmpdir(), 'handover-reset-'))
after(() => rm(folder, { recursive: true, force: true }))

const reset = (data: string) => resetDemo(parseConfig({ HANDOVER_DATA_DIR: data }, 'demo'), () => {})

/** As a demo leaves it, with a database that does not run. */
async function demoIn(name: string, place = join(folder, name, 'postgres')): Promise<string> {
  const data = join(folder, name)
  await mkdir(data)
  await mkdir(join(place, 'cluster'), { recursive: true })
  for (const file of ['cluster/PG_VERSION', 'pg_hba.conf', 'pg_ident.conf', 'password', 'postgres.log'])
    await writeFile(join(place, file), '18\n')
  for (const file of ['demo.env', 'master.key']) await writeFile(join(data, file), '')
  return data
}

test('all of a demo goes, with its drafts; what somebody put beside stays, as do copies of its files', async () => {
  const data = await demoIn('beside')
  const kept = ['demo.env.1', 'master.key.20261115', 'notes.txt']
  for (const name of [...kept, 'master.key.draft-99999999']) await writeFile(join(data, name), name)
  await mkdir(join(data, 'postgres', 'handover-pg-a1B2c3'))
  await mkdir(join(data, 'postgres', 'cluster.new-99999999-1-0badcafe'))
  await writeFile(join(data, 'postgres', 'dump.sql'), 'mine')
  await reset(data)
  assert.deepEqual((await readdir(data)).toSorted(), [...kept, 'postgres'])
  assert.deepEqual(await readdir(join(data, 'postgres')), ['dump.sql'])
})

test('a database that a link leads to goes, and nothing else that lies on that disk', async () => {
  const disk = join(folder, 'disk')
  const data = await demoIn('linked', disk)
  await symlink(disk, join(data, 'postgres'))
  await mkdir(join(disk, 'photos'))
  await writeFile(join(disk, 'photos', 'one.jpg'), 'mine')
  await reset(data)
  assert.equal(await readFile(join(disk, 'photos', 'one.jpg'), 'utf8'), 'mine')
  assert.deepEqual(await readdir(disk), ['photos'])
  await assert.rejects(access(data), 'the link is gone, and with it the folder')
})

test('an empty disk behind the link goes as a folder, where that is possible', async () => {
  const disk = join(folder, 'emptied')
  const data = await demoIn('emptying', disk)
  await symlink(disk, join(data, 'postgres'))
  await reset(data)
  await assert.rejects(lstat(disk), { code: 'ENOENT' })
})

test('what has the name of the database and is none stays, and so does all the rest', async () => {
  const disk = join(folder, 'computers')
  await mkdir(join(disk, 'cluster'), { recursive: true })
  await writeFile(join(disk, 'cluster', 'node-1.yaml'), 'mine')
  const data = join(folder, 'misled')
  await mkdir(data)
  for (const file of ['demo.env', 'master.key']) await writeFile(join(data, file), '')
  await symlink(disk, join(data, 'postgres'))
  await assert.rejects(reset(data), /^OperatorError: .*cluster is not a PostgreSQL database\. Nothing was removed\.$/)
  assert.deepEqual(await readdir(join(disk, 'cluster')), ['node-1.yaml'])
  assert.deepEqual((await readdir(data)).toSorted(), ['demo.env', 'master.key', 'postgres'])
})

test('while a start is making the database, nothing is taken from under it', async () => {
  const data = await demoIn('starting')
  const startTime = (await readFile(`/proc/${process.pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ')[19]
  const attempt = `cluster.new-${process.pid}-${startTime}-0badcafe`
  await mkdir(join(data, 'postgres', attempt))
  await assert.rejects(reset(data), /is being started or stopped\. Try again/)
  assert.ok((await readdir(join(data, 'postgres'))).includes(attempt))
  assert.deepEqual((await readdir(data)).toSorted(), ['demo.env', 'master.key', 'postgres'])
})
