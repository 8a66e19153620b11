import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { within } from '../../src/platform/within.ts'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { killQuietly, processesAbout } from './embedded-postgres-scene.ts'

// Demo mode as people really start and end it: from pipes and terminals that go away, with strange settings of the shell, in
// folders with strange names, and with signals at the wrong moment.

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'handover-odd-'))
await chmod(folder, 0o755)
after(async () => {
  for (const { pid } of await processesAbout(folder)) killQuietly(pid)
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

const environment = (name: string) => ({
  HANDOVER_DATA_DIR: join(folder, name),
  PORT: '0',
  METRICS_PORT: '0',
  RECEIVER_PORT: '0',
})

async function ready(service: HandoverProcess): Promise<string> {
  const [, url = ''] = await within(60_000, 'The start', service.says(/Handover is ready at (\S+)/))
  return url
}

async function stop(service: HandoverProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  service.child.kill(signal)
  assert.equal(await within(40_000, 'Stopping', service.ended), 0, service.err())
}

async function assertNothingRuns(name: string): Promise<void> {
  assert.deepEqual(await processesAbout(join(folder, name)), [])
}

test('whoever reads the output goes away: the service goes on, and stops in order', async () => {
  const service = runHandover(['demo'], { ...environment('pipe'), HANDOVER_LOG_LEVEL: 'trace' })
  const url = await ready(service)
  service.child.stdout?.destroy()
  service.child.stderr?.destroy()
  for (let turn = 0; turn < 5; turn++) assert.equal((await fetch(`${url}/readyz`)).status, 200)
  await stop(service)
  await assertNothingRuns('pipe')
})

test('a terminal that is closed (SIGHUP) is a stop in order', async () => {
  const service = runHandover(['demo'], environment('terminal'))
  await ready(service)
  await stop(service, 'SIGHUP')
  await assertNothingRuns('terminal')
})

test('one signal at any moment of the first start ends everything; what was begun is whole or gone', async () => {
  for (const moment of [100, 500, 700, 900, 1_200, 1_600]) {
    const name = `signal-${moment}`
    const service = runHandover(['demo'], environment(name))
    await sleep(moment)
    service.child.kill('SIGTERM')
    // Before the program itself runs, the signal ends Node.
    assert.ok([0, 'SIGTERM'].includes(await within(40_000, 'Stopping', service.ended)), service.err())
    await assertNothingRuns(name)
    const left = await readdir(join(folder, name)).catch(() => [])
    assert.deepEqual(
      left.filter((file) => !['demo.env', 'master.key', 'postgres'].includes(file)),
      [],
    )
  }
})

test('a second signal ends it at once, and the next start takes over what that left', async () => {
  const first = runHandover(['demo'], environment('twice'))
  await ready(first)
  first.child.kill('SIGINT')
  await sleep(5)
  first.child.kill('SIGINT')
  assert.ok([0, 130].includes(Number(await within(20_000, 'Ending', first.ended))))
  const second = runHandover(['demo'], environment('twice'))
  await ready(second)
  await stop(second)
  await assertNothingRuns('twice')
})

test('no home, no temporary folder, another time zone, the plain locale, and a folder with every kind of character', async () => {
  const name = 'ümlaut "quoted" \'single\' $HOME %20 #1'
  const service = runHandover(
    ['demo'],
    { ...environment(name), TMPDIR: join(folder, 'not-there'), TZ: 'Asia/Kathmandu', LANG: 'C', LC_ALL: 'C' },
    '/sys',
  )
  const url = await ready(service)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  await stop(service)
  await assertNothingRuns(name)
})

for (const umask of ['000', '077']) {
  test(`umask ${umask}: nobody else can read the secrets or put others in their place`, async () => {
    const env = { PATH: process.env['PATH'] ?? '', ...environment(`umask-${umask}`) }
    const command = ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, MAIN, 'demo']
    const child = spawn('/bin/sh', command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    try {
      const said = new Promise<void>((resolve) => {
        let out = ''
        child.stdout.on('data', (chunk: Buffer) => {
          out += chunk.toString()
          if (out.includes('Handover is ready')) resolve()
        })
      })
      await within(60_000, 'The start', Promise.race([said, ended]))
      const modeOf = async (file: string) => (await stat(join(env.HANDOVER_DATA_DIR, file))).mode & 0o777
      assert.equal((await modeOf('')) & 0o066, 0, 'the data folder')
      for (const file of ['demo.env', 'master.key']) assert.equal(await modeOf(file), 0o600, file)
      assert.equal((await modeOf('postgres/cluster')) & 0o077, 0, 'the database')
    } finally {
      child.kill('SIGTERM')
    }
    assert.equal(await within(40_000, 'Stopping', ended), 0)
  })
}

test('two services with folders of their own run side by side', async () => {
  const services = ['one', 'other'].map((name) => runHandover(['demo'], environment(name)))
  const urls = await Promise.all(services.map(ready))
  assert.equal(new Set(urls).size, 2)
  for (const url of urls) assert.equal((await fetch(`${url}/readyz`)).status, 200)
  await Promise.all(services.map((service) => stop(service)))
})
