import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { findRunningEmbeddedPostgres } from '../../src/platform/embedded-postgres/launch.ts'
import { sharedBuffers } from '../../src/platform/embedded-postgres/memory.ts'
import { OperatorError } from '../../src/platform/operator-error.ts'
import {
  assertNothingLeft,
  launchIn,
  oneLine,
  openFilledScene,
  openScene,
  optionsIn,
  query,
  ready,
  refused,
  startOwner,
} from './embedded-postgres-scene.ts'

const debianBinaries = '/usr/lib/postgresql/15/bin'

describe('the embedded PostgreSQL', { concurrency: 2 }, () => {
  test('starts, answers, keeps its data over a restart, and leaves nothing after a stop', async (t) => {
    const scene = await openScene(t)
    const dataFolder = join(scene, `an "odd", folder's näme`)
    const first = await launchIn(scene, { dataFolder })
    await query(first, 'create table kept (n int); insert into kept values (7)')
    assert.deepEqual(await findRunningEmbeddedPostgres(dataFolder), first.connection)
    await Promise.all([first.stop(), first.stop()])
    await first.stop()
    assert.equal(await findRunningEmbeddedPostgres(dataFolder), null)
    assert.deepEqual((await readdir(join(dataFolder, 'postgres'))).toSorted(), [
      'cluster',
      'pg_hba.conf',
      'pg_ident.conf',
      'postgres.log',
    ])

    const second = await launchIn(scene, { dataFolder })
    assert.deepEqual([...(await query<{ n: number }>(second, 'select n from kept'))], [{ n: 7 }])
  })

  test('serves a safe cluster: UTF-8, checksums, fsync, UTC, no network, and only its own role', async (t) => {
    const scene = await openFilledScene(t)
    const server = await launchIn(scene, { settings: {} })
    const names = [
      'server_encoding',
      'data_checksums',
      'fsync',
      'TimeZone',
      'listen_addresses',
      'unix_socket_permissions',
      'shared_buffers',
    ]
    const rows = await query<{ setting: string }>(
      server,
      `select setting from unnest('{${names.join(',')}}'::text[]) with ordinality u (name, nr) join pg_settings using (name) order by nr`,
    )
    assert.deepEqual(
      rows.map((row) => row.setting),
      // The last one in pages of 8 kB.
      ['UTF8', 'on', 'on', 'UTC', '', '0700', `${Number.parseInt(sharedBuffers(), 10) * 128}`],
    )
    const stranger = { connection: { ...server.connection, username: 'postgres' } }
    await assert.rejects(query(stranger, 'select 1'), /no pg_hba.conf entry/)
  })

  test('keeps an eighth of the memory for what is at hand, at least 128 MB and at most 2 GB', () => {
    const gigabytes = [0.5, 1, 4, 8, 24, 512].map((memory) => sharedBuffers(memory * 1024 ** 3))
    assert.deepEqual(gigabytes, ['128MB', '128MB', '512MB', '1024MB', '2048MB', '2048MB'])
  })

  test('a second start while the first lives gets one line that names the folder and the process', async (t) => {
    const scene = await openFilledScene(t)
    const server = await launchIn(scene)
    const message = await refused(startOwner(optionsIn(scene)))
    assert.match(message, new RegExp(`process ${process.pid}\\) is already running on ${join(scene, 'data')}`))
    assert.deepEqual([...(await query(server, 'select 1 as one'))], [{ one: 1 }])
  })

  test('of two first starts at the same moment one wins and the other gets the line', async (t) => {
    const scene = await openScene(t)
    const owners = [startOwner(optionsIn(scene)), startOwner(optionsIn(scene))]
    const told = await Promise.all(owners.map((owner) => owner.next()))
    assert.equal(told.filter((each) => each?.kind === 'ready').length, 1, JSON.stringify(told))
    assert.match(told.find((each) => each?.kind === 'failed')?.message ?? '', /is already running on/)
    await owners.find((owner) => owner.told[0]?.kind === 'ready')?.stop()
    await assertNothingLeft(scene)
  })

  test('a start that meets a stop waits for it and starts anew', async (t) => {
    const scene = await openFilledScene(t)
    const first = await launchIn(scene)
    const stopping = first.stop()
    const second = await launchIn(scene)
    await stopping
    assert.deepEqual([...(await query(second, 'select 1 as one'))], [{ one: 1 }])
  })

  test("takes another installation's programs, and refuses a cluster of another major version", async (t) => {
    if (!existsSync(debianBinaries)) return t.skip(`no PostgreSQL in ${debianBinaries}`)
    const scene = await openScene(t)
    const server = await launchIn(scene, { binaries: debianBinaries })
    assert.match(JSON.stringify(await query(server, 'select version()')), /PostgreSQL 15/)
    await server.stop()
    await assert.rejects(
      launchIn(scene),
      (error) =>
        error instanceof OperatorError &&
        /made by PostgreSQL 15.*brings 18.*HANDOVER_DATA_DIR/.test(oneLine(error.message)),
    )
  })

  test('a folder that is no cluster, or no folder, is left as it is and named in one line', async (t) => {
    const scene = await openScene(t)
    await mkdir(join(scene, 'data/postgres/cluster'), { recursive: true })
    await writeFile(join(scene, 'data/postgres/cluster/precious'), 'mine')
    await assert.rejects(
      launchIn(scene),
      (error) => error instanceof OperatorError && /is not a PostgreSQL database/.test(oneLine(error.message)),
    )
    assert.equal(await readFile(join(scene, 'data/postgres/cluster/precious'), 'utf8'), 'mine')
    const file = join(scene, 'data/postgres/cluster/precious')
    await assert.rejects(
      launchIn(scene, { dataFolder: file }),
      (error) => error instanceof OperatorError && oneLine(error.message).includes(file),
    )
  })

  test('an owner in another process stops in good order and leaves no socket folder in the temporary one', async (t) => {
    const scene = await openFilledScene(t)
    const owner = startOwner(optionsIn(scene, { socketParents: [tmpdir()] }))
    const told = await ready(owner)
    const { path = '' } = told.connection
    assert.ok(path.startsWith(join(tmpdir(), 'handover-pg-')))
    await owner.stop()
    await assertNothingLeft(scene)
    assert.equal(existsSync(dirname(path)), false)
  })
})
