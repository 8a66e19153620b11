import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parseConfig } from '../../src/app/config.ts'
import { resetDemo } from '../../src/app/demo/reset-demo.ts'
import { within } from '../../src/platform/within.ts'
import { killQuietly, processesAbout } from './embedded-postgres-scene.ts'

// What a newcomer does: clone, npm start, paste what it says, stop, npm run demo:reset. What git would not give them is not
// there; only node_modules is ours, so that nothing is fetched.

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'handover-first-run-'))
const clone = join(folder, 'a clone')
const data = join(clone, 'data')
const env = { ...process.env, NODE_ENV: '', HANDOVER_DATA_DIR: '', PORT: '0', METRICS_PORT: '0', RECEIVER_PORT: '0' }

const npm = { said: '', stop: async () => {} }

suite('a first run', { skip: !existsSync(join(PROJECT, '.git')) && 'not a clone' }, () => {
  before(async () => {
    await chmod(folder, 0o755)
    await mkdir(clone)
    const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const { stdout } = await promisify(execFile)('git', listing, { cwd: PROJECT, maxBuffer: 10_000_000 })
    const needed = stdout.split('\0').filter((path) => path !== '' && !/^(?:test|bench)\//.test(path))
    for (const path of needed.filter((each) => existsSync(join(PROJECT, each))))
      await cp(join(PROJECT, path), join(clone, path))
    await symlink(join(PROJECT, 'node_modules'), join(clone, 'node_modules'))

    const child = spawn('npm', ['start', '--silent'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
    npm.stop = async () => {
      child.kill('SIGTERM')
      await ended
    }
    const ready = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        npm.said += chunk.toString()
        if (npm.said.includes('grep -o')) resolve()
      })
    })
    await within(60_000, 'The start', Promise.race([ready, ended]))
  })
  after(async () => {
    await npm.stop()
    for (const { pid } of await processesAbout(folder)) killQuietly(pid)
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  const reset = () => spawnSync('npm', ['run', '--silent', 'demo:reset'], { cwd: clone, env, encoding: 'utf8' })

  test('npm start says where everything is, and that a first webhook was delivered and verified', () => {
    assert.match(npm.said, /Handover is ready at http:\/\/localhost:\d+ /)
    assert.match(npm.said, /Your first webhook: delivered, signature valid, \d+\.\d\d s from publishing to receipt\./)
  })

  for (const shell of ['bash', 'sh']) {
    test(`the lines of the banner, pasted into ${shell}: token, webhook, event, received and verified`, () => {
      const lines = npm.said.slice(npm.said.indexOf('  . data/demo.env'))
      assert.equal(lines.match(/\$\(curl|^ *curl/gm)?.length, 4)
      const shown = `${lines}\necho "TOKEN=$TOKEN ID=$ID"`
      const { stdout, stderr, status } = spawnSync(shell, { cwd: clone, input: shown, encoding: 'utf8' })
      assert.equal(status, 0, stderr)
      const id = /ID=(whk_[0-9a-f]{32})$/m.exec(stdout)?.[1]
      assert.ok(id !== undefined && /TOKEN=eyJ[\w-]+\.[\w-]+\.[\w-]+ /.test(stdout), stdout)
      assert.match(stdout, /^\{"data":\{"id":"evt_[0-9a-f]{32}","duplicate":false,"deliveries":[12]\}\}$/m)
      assert.match(stdout, new RegExp(`^"signature":\\{"valid":true,"webhookId":"${id}"\\}$`, 'm'))
    })
  }

  test('npm run demo:reset refuses while the demo runs, and takes it away when it has ended; nothing else', async () => {
    const refused = reset()
    assert.equal(refused.status, 1)
    assert.match(refused.stderr, /^handover: A handover \(process \d+\) is running on .*data\. Stop it first; nothing/)
    assert.deepEqual((await readdir(data)).toSorted(), ['demo.env', 'master.key', 'postgres'])

    await npm.stop()
    await writeFile(join(data, 'notes.txt'), 'somebody else’s')
    const done = reset()
    assert.deepEqual([done.status, done.stderr], [0, ''])
    assert.match(done.stdout, /^The demo in .*data is gone/)
    assert.deepEqual(await readdir(data), ['notes.txt'])
  })

  test('what is not a demo’s is left alone: a deployment’s folder, what a reset left, no folder, another database', async () => {
    const place = join(folder, 'deployed')
    await mkdir(join(place, 'postgres', 'cluster'), { recursive: true })
    await writeFile(join(place, 'master.key'), 'of a deployment')
    const said: string[] = []
    const resetIn = (HANDOVER_DATA_DIR: string, more = {}) =>
      resetDemo(parseConfig({ HANDOVER_DATA_DIR, ...more }, 'demo'), (line) => said.push(line))
    const refusal = { name: 'OperatorError', message: /is not the folder of a demo: it has no demo\.env\. Nothing was/ }
    await assert.rejects(resetIn(place), refusal)
    await assert.rejects(resetIn(data), refusal)
    await assert.rejects(
      resetIn(place, { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' }),
      /^OperatorError: DATABASE_URL is set/,
    )
    await assert.rejects(resetIn(join(place, 'master.key')), /^OperatorError: The data folder .* cannot be read/)
    assert.deepEqual((await readdir(place)).toSorted(), ['master.key', 'postgres'])
    assert.deepEqual(await readdir(data), ['notes.txt'])
    assert.deepEqual(said, [])
    await resetIn(join(folder, 'nowhere'))
    assert.match(said.join(), /nowhere, so there is nothing to take away/)
  })
})
