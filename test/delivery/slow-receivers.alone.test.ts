import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startReceiver } from '../harness/receiver.ts'
import { answers, drips, never, pours, type Reply } from '../harness/receiver-farm.ts'
import { startWorkerOf } from '../harness/sending-process.ts'
import { attemptsOf, landed, statesBecome } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { soakSize } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startSendingScene('web')
after(scene.stop)
const { db } = scene

const OK = 'HTTP/1.1 200 OK\r\n'
const MB = 1024 * 1024
/** Sizes that a soak raises. */
const DRIPPING = soakSize(5, 50)
const HOSTILE = 20

async function alone(settings: Parameters<typeof scene.subscriber>[0]) {
  const facilityId = await scene.facility()
  const subscriber = await scene.subscriber({ facilities: [facilityId], ...settings })
  const publish = (count: number) => scene.publish(Array.from({ length: count }, () => scene.event({ facilityId })))
  return { subscriber, publish, webhookId: subscriber.webhookId }
}

describe('with the limits as they are', { concurrency: true }, async () => {
  const worker = await startWorkerOf(scene)
  after(worker.stop)

  test('a body of a byte a second holds nobody up: it is delivered within 1.5 s', async () => {
    const { subscriber, publish, webhookId } = await alone({
      reply: drips(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n', 1_000),
    })
    await publish(1)
    assert.ok(await soon(async () => subscriber.arrivals.length === 1, PATIENCE_MS))
    await statesBecome(db, webhookId, { delivered: 1 }, 1_500)
    const [attempt] = await attemptsOf(db, webhookId)
    assert.equal(attempt?.status, 200)
    assert.ok(await soon(async () => subscriber.open() === 0), 'its connection is cut')
  })

  for (const [what, reply] of [
    ['headers that are dripped', drips(OK, 'x', 300)],
    ['no answer', never],
  ] as const)
    test(`${what}: failed after 15 s`, async () => {
      const { subscriber, publish, webhookId } = await alone({ reply })
      await publish(1)
      assert.ok(await soon(async () => subscriber.arrivals.length === 1, PATIENCE_MS))
      const began = subscriber.arrivals[0]?.at ?? 0
      await landed(db, webhookId)
      const tookMs = performance.now() - began
      const [attempt] = await attemptsOf(db, webhookId)
      assert.deepEqual([attempt?.status, attempt?.error], [null, 'timeout'])
      assert.ok(attempt && Math.abs(attempt.duration_ms - 15_000) <= 500, `${attempt?.duration_ms} ms`)
      assert.ok(tookMs < 18_000, `${tookMs} ms`)
      assert.ok(await soon(async () => subscriber.open() === 0), 'its connection is cut')
    })

  test('a TLS handshake that is dripped: failed after 15 s', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).write('\x16\x03\x03\x40')
      const timer = setInterval(() => socket.writable && socket.write('\0'), 300)
      socket.on('close', () => clearInterval(timer))
    })
    const receiver = await startReceiver(server, '127.0.0.1')
    after(receiver.close)
    const { publish, webhookId } = await alone({})
    await db`update webhooks set url = ${`https://127.0.0.1:${receiver.port}/`}, version = version + 1 where id = ${webhookId}`
    await publish(1)
    assert.ok(await soon(async () => (await attemptsOf(db, webhookId)).length === 1, 2 * PATIENCE_MS))
    const [attempt] = await attemptsOf(db, webhookId)
    assert.deepEqual([attempt?.status, attempt?.error], [null, 'timeout'])
    assert.ok(attempt && Math.abs(attempt.duration_ms - 15_000) <= 500, `${attempt?.duration_ms} ms`)
    assert.ok(await soon(async () => receiver.open() === 0), 'its connection is cut')
  })
})

test('many that drip at once free their places at the limit, and the next come after them', async () => {
  const dripping = await Promise.all(
    Array.from({ length: DRIPPING }, () => alone({ reply: drips(OK, 'x', 100), perSecond: 1_000 })),
  )
  const healthy = await alone({})
  await Promise.all(dripping.map(({ publish }) => publish(15)))
  // Sent from when all are there: those that began earlier would be at the limit before the last ones begin.
  const loop = scene.loop({ totalMs: 4_000 })
  const isFull = () => dripping.every(({ subscriber }) => subscriber.open() === 10)
  assert.ok(await soon(async () => isFull(), PATIENCE_MS), '50 are open')
  let besideThem = false
  healthy.subscriber.reply = (response, arrival) => {
    besideThem = isFull()
    answers(204)(response, arrival)
  }
  await healthy.publish(1)
  assert.ok(await soon(async () => healthy.subscriber.arrivals.length === 1, PATIENCE_MS))
  assert.ok(besideThem, 'others do not wait')
  // The circuits open on ten failures, so what follows waits for them.
  const freed = async () => dripping.every(({ subscriber }) => subscriber.open() === 0)
  assert.ok(await soon(freed, PATIENCE_MS), 'all places are free')
  for (const { subscriber, webhookId } of dripping) {
    await landed(db, webhookId)
    const attempts = await attemptsOf(db, webhookId)
    assert.ok(attempts.length >= 10)
    for (const { error } of attempts) assert.equal(error, 'timeout')
    assert.ok(subscriber.arrivals.every(({ atOnce }) => atOnce <= 10))
  }
  await loop.stop()
})

test('bodies without end, packed 50 MB and headers of 1 MB: a worker grows by less than 64 MB', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * MB))
  const piece = Buffer.alloc(64 * 1024, 'x')
  const hostile: Reply[] = [
    pours(`${OK}content-length: 1000000000000\r\n\r\n`, piece),
    answers(200, { 'content-encoding': 'gzip' }, bomb),
    drips(`${OK}${`x-filler: ${'y'.repeat(1_000)}\r\n`.repeat(1_000)}\r\n`, '', 1_000),
    drips(`${OK}x: ${'y'.repeat(MB)}`, 'y'.repeat(MB), 50),
  ]
  const worker = await startWorkerOf(scene)
  try {
    const warm = await alone({ reply: answers(200, {}, 'z'.repeat(20_000)), perSecond: 1_000 })
    await warm.publish(4 * HOSTILE * hostile.length)
    await statesBecome(db, warm.webhookId, { delivered: 4 * HOSTILE * hostile.length })
    const before = residentBytes(worker.pid)
    let most = before
    const all = await Promise.all(hostile.map((reply) => alone({ reply, perSecond: 1_000, atOnce: HOSTILE })))
    await Promise.all(all.map(({ publish }) => publish(HOSTILE)))
    const tried = async () => {
      most = Math.max(most, residentBytes(worker.pid))
      return all.every(({ subscriber }) => subscriber.arrivals.length >= HOSTILE / 2 && subscriber.open() === 0)
    }
    assert.ok(await soon(tried, PATIENCE_MS), 'each was tried')
    for (let turn = 0; turn < 10; turn += 1) {
      await sleep(50)
      await tried()
    }
    assert.ok(most - before < 64 * MB, `grew by ${Math.round((most - before) / MB)} MB`)
    for (const { webhookId } of all) await landed(db, webhookId)
    const kinds = await Promise.all(all.map(async ({ webhookId }) => (await attemptsOf(db, webhookId)).at(-1)))
    assert.deepEqual(
      kinds.map((attempt) => attempt?.status ?? attempt?.error),
      [200, 200, 'headers-too-large', 'headers-too-large'],
    )
  } finally {
    await worker.stop()
  }
})

function residentBytes(pid: number): number {
  if (process.platform !== 'linux')
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) * 1024
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
