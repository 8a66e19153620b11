import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase()
after(database.drop)

const ENV = {
  AUTH_URL: 'https://id.example.com',
  DATABASE_URL: database.url,
  HANDOVER_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
  HANDOVER_HOST: '127.0.0.1',
  HANDOVER_WORKERS: '3',
  PORT: '0',
  METRICS_PORT: '0',
}

type Processes = { parent: HandoverProcess; url: string; metricsUrl: string }

async function start(): Promise<Processes> {
  const parent = runHandover(['serve'], ENV)
  const [, metricsPort] = await parent.says(/"metricsPort":(\d+),"processes":3.*all processes are ready/)
  const [, port] = await parent.says(/"port":(\d+).*"ready"/)
  return { parent, url: `http://127.0.0.1:${port}`, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }
}

/** Who was started by this process, as the kernel knows it. */
async function childrenOf({ parent: { child } }: Pick<Processes, 'parent'>): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  return stats.flatMap((stat) => {
    const [pid, state, parent] = stat.replace(/\(.*\)/, '').split(/\s+/)
    return Number(parent) === child.pid && state !== 'Z' ? [Number(pid)] : []
  })
}

function portOf(server: Server): number {
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

/** Each on a connection of its own, so that they are dealt out. */
async function ask(url: string, times: number): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: times }, () => fetch(url, { headers: { connection: 'close' } })),
  )
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  return answers.map(({ status }) => status)
}

/** What each process has measured of the requests at /oidc, by its number. */
async function measured(url: string): Promise<Map<string, number>> {
  const answer = await fetch(url)
  assert.equal(answer.status, 200)
  const counts = /^handover_http_request_seconds_count\{process="(\d)",door="oidc",method="GET",status="200"\} (\d+)$/gm
  return new Map([...(await answer.text()).matchAll(counts)].map(([, number = '', count]) => [number, Number(count)]))
}

const DISCOVERY = '/oidc/.well-known/openid-configuration'

const ALL = ['1', '2', '3']

test('HANDOVER_WORKERS processes answer on one port; their metrics are one answer; one that hangs is replaced; all stop', async () => {
  const processes = await start()
  const { url, metricsUrl, parent } = processes
  const before = await childrenOf(processes)
  assert.equal(before.length, 3)
  assert.deepEqual(new Set(await ask(`${url}${DISCOVERY}`, 30)), new Set([200]))
  const counted = await measured(metricsUrl)
  assert.deepEqual([...counted.keys()], ALL)
  assert.equal(
    [...counted.values()].reduce((sum, count) => sum + count, 0),
    30,
  )

  const [killed] = before
  assert.ok(killed)
  process.kill(killed, 'SIGSTOP')
  assert.equal((await measured(metricsUrl)).size, 2, 'one that hangs hides nobody else')
  await parent.says(/a process hangs; it is killed/)
  await parent.says(/a process ended; another takes its place/)
  const isReplaced = async () => {
    // At every moment, also while it loads.
    assert.ok((await measured(metricsUrl)).size >= 2)
    const now = await childrenOf(processes)
    return now.length === 3 && !now.includes(killed)
  }
  assert.ok(await soon(isReplaced, PATIENCE_MS))
  const answersAgain = async () =>
    (await ask(`${url}${DISCOVERY}`, 9)).every((status) => status === 200) && (await measured(metricsUrl)).size === 3
  assert.ok(await soon(answersAgain, PATIENCE_MS))

  parent.child.kill('SIGTERM')
  assert.equal(await parent.ended, 0, parent.err())
  assert.deepEqual(await childrenOf(processes), [])
})

test('a stop while one is being replaced: the new one, which is still loading, is told as well and ends in order', async () => {
  const processes = await start()
  const { parent } = processes
  const before = await childrenOf(processes)
  process.kill(before[1] ?? 0, 'SIGKILL')
  const isLoading = async () => (await childrenOf(processes)).some((pid) => !before.includes(pid))
  assert.ok(await soon(isLoading, PATIENCE_MS))
  parent.child.kill('SIGTERM')
  assert.equal(await parent.ended, 0, parent.err())
  assert.equal(parent.out().match(/"msg":"stopped"/g)?.length, 4, 'three of them and the first')
})

test('when the first process is killed, those it started stop by themselves', async () => {
  const processes = await start()
  const children = await childrenOf(processes)
  processes.parent.child.kill('SIGKILL')
  const isAlive = (pid: number) =>
    readFile(`/proc/${pid}/stat`, 'utf8').then(
      (stat) => !/\) Z /.test(stat),
      () => false,
    )
  const allGone = async () => (await Promise.all(children.map(isAlive))).every((alive) => !alive)
  assert.ok(await soon(allGone, PATIENCE_MS))
})

test('when it is killed while they start, they end without a stack trace', async () => {
  // A database that takes a connection and says nothing: whoever connects is one of them, and runs code of ours.
  const silent = createServer()
  const connected = new Promise((resolve) => silent.once('connection', resolve))
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const parent = runHandover(['serve'], { ...ENV, DATABASE_URL: `postgres://somebody@127.0.0.1:${portOf(silent)}/x` })
  await connected
  parent.child.kill('SIGKILL')
  await parent.ended
  assert.equal(parent.err(), '')
  silent.close()
})

test('a start that fails in one of them says why once, and ends all', async () => {
  const taken = createServer()
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
  const port = portOf(taken)
  const failed = runHandover(['serve'], { ...ENV, PORT: String(port) })
  assert.equal(await failed.ended, 1)
  assert.match(failed.err(), new RegExp(`Port ${port} is in use`))
  assert.match(failed.err(), /One of its processes could not start/)
  taken.close()
})

test('demo mode, whose mailbox is in memory, is one process', async () => {
  const refused = runHandover(['demo'], { HANDOVER_WORKERS: '2' })
  assert.equal(await refused.ended, 1)
  assert.match(refused.err(), /HANDOVER_WORKERS must be 1 in demo mode/)
})
