import assert from 'node:assert/strict'
import { chmod, chown, lchown, mkdir, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { OperatorError } from '../../src/platform/operator-error.ts'
import {
  assertNothingLeft,
  copyProgram,
  isRoot,
  launchIn,
  mountDisk,
  oneLine,
  openFilledScene,
  openScene,
  optionsIn,
  ordinaryAccount,
  packageFolder,
  processesAbout,
  query,
  quick,
  ready,
  refused,
  startOwner,
} from './embedded-postgres-scene.ts'

const onlyRoot = (t: TestContext) => isRoot || t.skip('only root meets this')
const saying = (pattern: RegExp) => (error: unknown) =>
  error instanceof OperatorError && pattern.test(oneLine(error.message))

describe('the embedded PostgreSQL, in places', { concurrency: 2 }, () => {
  test('a data folder too deep for a socket path: the socket lies in the temporary folder', async (t) => {
    const deep = 'd'.repeat(100)
    const scene = await openFilledScene(t, deep)
    const server = await launchIn(scene, { dataFolder: join(scene, deep) })
    const { path = '' } = server.connection
    assert.ok(path.startsWith(join(tmpdir(), 'handover-pg-')))
    const folder = dirname(path)
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    await server.stop()
    await assert.rejects(stat(folder), { code: 'ENOENT' })
  })

  test('without any folder for a socket: loopback, with a password that no command line shows', async (t) => {
    const scene = await openFilledScene(t)
    const server = await launchIn(scene, { socketParents: [join(scene, 'd'.repeat(100)), join(scene, 'missing')] })
    const { password = '', ...withoutPassword } = server.connection
    assert.match(password, /^[0-9a-f]{48}$/)
    assert.deepEqual([...(await query(server, 'show listen_addresses'))], [{ listen_addresses: '127.0.0.1' }])
    await assert.rejects(query({ connection: withoutPassword }, 'select 1'), /password/i)
    await assert.rejects(
      query({ connection: { ...withoutPassword, password: 'guess' } }, 'select 1'),
      /password authentication failed/,
    )
    const file = join(scene, 'data/postgres/password')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.doesNotMatch(JSON.stringify(await processesAbout(scene)), new RegExp(password))
    assert.doesNotMatch(await readFile(join(scene, 'data/postgres/postgres.log'), 'utf8'), new RegExp(password))
    await server.stop()
    const again = await launchIn(scene, { socketParents: [] })
    assert.deepEqual([...(await query(again, 'select 1 as one'))], [{ one: 1 }])
    await again.stop()
    await assertNothingLeft(scene)
  })

  test('root, and a 0700 folder above the data: the database is kept elsewhere, linked, and said', async (t) => {
    if (onlyRoot(t) !== true) return
    const scene = await openScene(t, 0o700)
    const open = await openScene(t)
    const said: string[] = []
    const more = { shelter: join(open, 'shelter'), say: (line: string) => said.push(line) }
    const first = await launchIn(scene, more)
    const place = await readlink(join(scene, 'data/postgres'))
    assert.ok(place.startsWith(more.shelter))
    assert.deepEqual(said, [`The database is kept in ${place} (${join(scene, 'data/postgres')} points there).`])
    await query(first, 'create table kept (n int)')
    await first.stop()
    const second = await launchIn(scene, more)
    await query(second, 'select n from kept')
    await second.stop()
    await assertNothingLeft(scene, place)

    await rename(place, `${place}.away`)
    await assert.rejects(
      launchIn(scene, more),
      (error) => error instanceof OperatorError && /which is not there/.test(error.message),
    )
    await rename(`${place}.away`, place)
    await lchown(join(scene, 'data/postgres'), 1, 1)
    await assert.rejects(
      launchIn(scene, more),
      (error) => error instanceof OperatorError && /made by another account/.test(error.message),
    )

    await rm(join(scene, 'data'), { recursive: true })
    const anew = await launchIn(scene, more)
    await assert.rejects(query(anew, 'select n from kept'), /does not exist/)
    assert.ok(said.some((line) => line.includes('An earlier database of') && line.includes(place)))
  })

  test('root, and a data folder of mode 0700 that it can open: the database stays in it', async (t) => {
    if (onlyRoot(t) !== true) return
    const scene = await openFilledScene(t)
    await rename(join(scene, 'data/postgres'), join(scene, 'postgres'))
    await chmod(join(scene, 'data'), 0o700)
    await (await launchIn(scene)).stop()
    assert.equal((await stat(join(scene, 'data'))).mode & 0o777, 0o711)
    assert.equal((await stat(join(scene, 'data/postgres/cluster'))).mode & 0o777, 0o700)
  })

  test('root, and programs in a 0700 folder without their links, under umask 077: a copy is made once and used', async (t) => {
    if (onlyRoot(t) !== true) return
    const scene = await openFilledScene(t)
    const from = await copyProgram(scene)
    await removeLinks(from)
    await chmod(from, 0o700)
    for (const turn of ['first', 'second']) {
      const owner = startOwner(optionsIn(scene, { shelter: join(scene, 'shelter') }), { from, umask: '077' })
      await ready(owner)
      const [server] = (await processesAbout(scene)).filter(({ words }) => words[0]?.endsWith('/bin/postgres'))
      assert.ok(server?.words[0]?.startsWith(join(scene, 'shelter/postgresql-')), turn)
      await owner.stop()
    }
    assert.equal((await readdir(join(scene, 'shelter'))).length, 1)
  })

  test('an ordinary user: runs as that user, links missing and programs not writable; later root runs it as that user too', async (t) => {
    const scene = await openScene(t)
    const from = await copyProgram(scene)
    await removeLinks(from)
    if (!isRoot) await chmod(join(from, packageFolder, 'native/lib'), 0o555)
    const account = ordinaryAccount()
    const home = join(scene, 'home')
    await mkdir(home, { mode: 0o700 })
    if (account.uid !== undefined) await chown(home, account.uid, account.uid)
    const more = { dataFolder: join(home, 'data') }
    const owner = startOwner(optionsIn(scene, more), { ...account, from })
    const told = await ready(owner)
    await query(told, 'create table kept (n int)')
    const { uid } = await stat(told.clusterFolder)
    assert.equal(uid, account.uid ?? process.getuid?.())
    await owner.stop()
    if (!isRoot) await chmod(join(from, packageFolder, 'native/lib'), 0o755)

    const again = await launchIn(scene, more)
    await query(again, 'select n from kept')
    await again.stop()
    const back = startOwner(optionsIn(scene, more), { ...account, from })
    await query(await ready(back), 'select n from kept')
    await back.stop()
  })

  test('a data folder that cannot be written: one line, and nothing touched', async (t) => {
    const scene = await openScene(t)
    const from = await copyProgram(scene)
    await mkdir(join(scene, 'data'))
    await chmod(join(scene, 'data'), 0o555)
    const message = await refused(startOwner(optionsIn(scene), { ...ordinaryAccount(), from }))
    assert.match(message, /data folder .*\/data cannot be used: EACCES/)
    assert.deepEqual(await readdir(join(scene, 'data')), [])
    if (!isRoot) return
    await t.test('an account without a name is told to set DATABASE_URL', async () => {
      assert.match(await refused(startOwner(optionsIn(scene), { uid: 54_321, from })), /uid 54321.*set DATABASE_URL/)
    })
  })

  test('a full disk: one line, nothing spoilt, and it starts when there is room again', async (t) => {
    const scene = await openFilledScene(t)
    const disk = await mountDisk(scene, '120m')
    if (disk === null) return t.skip('this account may not mount a small disk')
    const ballast = join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(110e6))
    const more = { dataFolder: join(disk, 'data') }
    await assert.rejects(launchIn(scene, more), saying(/No space left.*free some space/))
    assert.deepEqual(await readdir(join(disk, 'data/postgres')), [])
    await rm(ballast)
    await (await launchIn(scene, more)).stop()
    await writeFile(ballast, Buffer.alloc(120e6)).catch(() => undefined)
    await assert.rejects(launchIn(scene, more), saying(/(No space left|ENOSPC).*free some space/i))
    await rm(ballast)
    await (await launchIn(scene, more)).stop()
  })

  test('a server that cannot start says why in one line, and leaves nothing', async (t) => {
    const scene = await openFilledScene(t)
    const greedy = launchIn(scene, { settings: { ...quick, shared_buffers: '7000GB' } })
    await assert.rejects(
      greedy,
      saying(/did not start: could not (map|resize|create).*shared memory.*What to do: give this machine/),
    )
    await assertNothingLeft(scene)
  })
})

test('programs that cannot run here (musl), and a platform without any: one line that says to set DATABASE_URL', async (t) => {
  const scene = await openScene(t)
  await mkdir(join(scene, 'bin'))
  await writeFile(join(scene, 'bin/postgres'), '#!/no/such/loader\n', { mode: 0o755 })
  await assert.rejects(launchIn(scene, { binaries: join(scene, 'bin') }), saying(/musl.*set DATABASE_URL/))
  const arch = process.arch
  t.after(() => Object.defineProperty(process, 'arch', { value: arch }))
  Object.defineProperty(process, 'arch', { value: 'riscv64' })
  await assert.rejects(launchIn(scene), saying(/no programs for \w+-riscv64.*set DATABASE_URL/))
})

async function removeLinks(program: string): Promise<void> {
  const lib = join(program, packageFolder, 'native/lib')
  for (const entry of await readdir(lib, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(lib, entry.name))
  }
}
