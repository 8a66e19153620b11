import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { claimPort } from '../../src/app/listener.ts'
import { readEnvFile } from '../harness/handover.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

test('stopping lets what is in flight finish and takes nothing new', async () => {
  const listener = await claimPort('127.0.0.1', 0, 'PORT')
  let release = () => {}
  const inside = new Promise<void>((entered) => {
    listener.answer((_, response) => {
      release = () => response.end('done')
      entered()
    })
  })
  const url = `http://127.0.0.1:${listener.port}/`
  const answer = fetch(url)
  await inside
  const closed = listener.close(10_000)
  await assert.rejects(fetch(url), 'a new connection is refused')
  release()
  const response = await answer
  assert.equal(await response.text(), 'done')
  await closed
})

test('stopping cuts what is not done in time', async () => {
  const listener = await claimPort('127.0.0.1', 0, 'PORT')
  const inside = new Promise<void>((entered) => listener.answer(() => entered()))
  const failed = new Promise<Error>((resolve) => {
    request({ port: listener.port, host: '127.0.0.1' }).on('error', resolve).end()
  })
  await inside
  await listener.close(100)
  assert.match((await failed).message, /socket hang up|ECONNRESET/)
})

test('stopping does not wait for connections that were made ahead and never used', async () => {
  const listener = await claimPort('127.0.0.1', 0, 'PORT')
  const ahead = connect(listener.port, '127.0.0.1')
  await once(ahead, 'connect')
  const cut = once(ahead, 'close')
  // So much patience is never had: it is over because the connection is.
  await listener.close(1_000_000)
  await cut
})

test('a port answers 503 until the service behind it is ready', async () => {
  const listener = await claimPort('127.0.0.1', 0, 'PORT')
  const response = await fetch(`http://127.0.0.1:${listener.port}/healthz`)
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('retry-after'), '1')
  await response.text()
  await listener.close(1_000)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to "npm start" ends the service and its database`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'handover-stop-'))
    const npm = spawn('npm', ['start', '--silent'], {
      cwd: PROJECT,
      env: {
        ...process.env,
        NODE_ENV: '',
        PORT: '0',
        METRICS_PORT: '0',
        RECEIVER_PORT: '0',
        HANDOVER_DATA_DIR: folder,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const ended = new Promise((resolve) => npm.on('close', resolve))
      let out = ''
      await new Promise<void>((ready) => {
        npm.stdout.on('data', (chunk: Buffer) => {
          out += chunk.toString()
          if (out.includes('Handover is ready')) ready()
        })
        void ended.then(() => ready())
      })
      assert.match(out, /Handover is ready/)
      const { AUTH_URL = '' } = await readEnvFile(join(folder, 'demo.env'))
      assert.equal((await fetch(`${AUTH_URL}/readyz`)).status, 200)

      npm.kill(signal)
      await ended
      await assert.rejects(fetch(`${AUTH_URL}/healthz`), 'nothing answers any more')
      const left = await import('node:fs/promises').then((fs) => fs.readdir(folder))
      assert.deepEqual(left.toSorted(), ['demo.env', 'master.key', 'postgres'])
    } finally {
      npm.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    }
  })
}
