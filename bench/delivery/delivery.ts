import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/platform/db.ts'
import { seedOtherFacilities, seedOtherWebhooks } from '../api/seed.ts'
import { type Child, startChild } from '../child-process.ts'
import { type Server, startHandover } from '../contenders.ts'
import { cpuSeconds, cpuSecondsOfChildren } from '../cores.ts'
import { addDatabase } from '../databases.ts'
import { type Bar, printSection, type Section, writeResults } from '../report.ts'
import { type Contender, interleave, type Measurement } from '../rounds.ts'
import { type BenchStorage, startStorage } from '../storage.ts'
import { eventsFor, publish } from './publish.ts'
import { FAN_OUTS, seedOldDeliveries, seedScene } from './scene.ts'

type Options = { rounds: number; seconds: number; only: string }

const OTHER_WEBHOOKS = 1_000_000
const OLD_DELIVERIES = 10_000_000
const BATCH = 500
/** Deliveries for each second that a round is to take. */
const PER_SECOND = 2_500
const OPEN_LOOP_PER_SECOND = 200

const BARE = 'bare sender'
const BAR = 'the bar'

type Scene = { name: string; server: Server; db: Db }

type Bench = { storage: BenchStorage; receiver: Child; receiverPort: number; sender: Child }

/**
 * Verified deliveries: events published in batches, stored, matched, signed, sent, checked by the receiver and settled, with
 * durable commits; service, PostgreSQL and receiver on the same cores. With empty tables, and with full ones.
 */
export async function benchDelivery({ rounds, seconds, only }: Options): Promise<boolean> {
  const storage = await startStorage()
  const receiver = await startChild('both', ['bench/delivery/receiver.ts'])
  const sender = await startChild('both', ['bench/delivery/bare-sender.ts'])
  const folder = await mkdtemp(join(tmpdir(), 'handover-bench-'))
  const bench: Bench = { storage, receiver, receiverPort: portOf(receiver), sender }
  const scenes: Scene[] = []
  const sections: Section[] = []
  try {
    scenes.push(await open(bench, folder, 'empty tables', async () => {}))
    if (only.includes('full') || only === '') scenes.push(await open(bench, folder, 'full tables', fill))
    for (const fanOut of FAN_OUTS) {
      const contenders = [
        ...scenes.map((scene) => sustained(bench, scene, fanOut)),
        bareSender(bench),
        constant(BAR, 1_500),
      ]
      const bars: Bar[] = [
        { of: 'empty tables', to: BAR, atLeast: 1 },
        { of: 'empty tables', to: BARE, atLeast: 0 },
        ...(scenes.length > 1 ? [{ of: 'full tables', to: 'empty tables', atLeast: 0.8 }] : []),
      ]
      sections.push(printSection(`deliveries, fan-out ${fanOut}`, bars, await interleave(contenders, rounds, seconds)))
    }
    const openLoops = [...scenes.map((scene) => openLoop(bench, scene)), constant(BAR, OPEN_LOOP_PER_SECOND, 100)]
    const bars: Bar[] = [
      { of: 'empty tables', to: BAR, atLeast: 1, by: 'p99' },
      ...(scenes.length > 1 ? [{ of: 'full tables', to: 'empty tables', atLeast: 0.8, by: 'p99' as const }] : []),
    ]
    sections.push(printSection('publish to receipt, 200 a second', bars, await interleave(openLoops, rounds, seconds)))
    const late = scenes.map((scene) => lateness(bench, scene))
    sections.push(printSection('lateness of retries', [], await interleave(late, Math.min(rounds, 3), seconds)))
    await writeResults('delivery', sections)
    return sections.every((section) => section.bars.every(({ reached }) => reached))
  } finally {
    for (const { server, db } of scenes) {
      await Promise.all(server.children.map((child) => child.stop()))
      await db.end()
    }
    await receiver.stop()
    await sender.stop()
    await storage.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function open(
  { storage, receiverPort }: Bench,
  folder: string,
  name: string,
  prepare: (db: Db) => Promise<void>,
): Promise<Scene> {
  const masterKey = randomBytes(32).toString('base64')
  const { url, db } = await addDatabase(storage, `bench_${name.replaceAll(' ', '_')}`)
  await seedScene(db, masterKey, receiverPort)
  await prepare(db)
  // Demo mode, or a receiver on loopback would be refused.
  const env = {
    HANDOVER_DEMO: '1',
    NODE_ENV: 'development',
    HANDOVER_DATA_DIR: join(folder, name),
    HANDOVER_MASTER_KEY: masterKey,
    RECEIVER_PORT: '0',
  }
  return { name, db, server: await startHandover({ url }, { cores: 'both', role: [], env }) }
}

async function fill(db: Db): Promise<void> {
  await seedOtherFacilities(db)
  await seedOtherWebhooks(db, OTHER_WEBHOOKS)
  await seedOldDeliveries(db, OLD_DELIVERIES)
  // As a server that has had them for long: nothing is left to tidy up or to flush.
  await db`vacuum (freeze, analyze)`
  await db`checkpoint`
}

/** So many deliveries in batches of 500 events, from the first publish to the last receipt. */
function sustained({ storage, receiver }: Bench, { name, server }: Scene, fanOut: number): Contender {
  return {
    name,
    measure: async (seconds) => {
      const events = eventsFor(fanOut, Math.ceil((PER_SECOND * seconds) / fanOut))
      await receiver.ask('take')
      const cpu = cpuOf(server)
      const databaseCpu = cpuSecondsOfChildren(storage.postmaster)
      const started = performance.now()
      for (let from = 0; from < events.length; from += BATCH)
        await publish(portIn(server), events.slice(from, from + BATCH))
      const count = events.length * fanOut
      await untilReceived(receiver, count)
      const took = (performance.now() - started) / 1_000
      return {
        ...measurement(count / took),
        cpu: ((cpuOf(server) - cpu) / count) * 1e6,
        databaseCpu: ((cpuSecondsOfChildren(storage.postmaster) - databaseCpu) / count) * 1e6,
      }
    },
  }
}

function bareSender({ sender, receiverPort }: Bench): Contender {
  return {
    name: BARE,
    measure: async (seconds) => {
      const count = Math.ceil(PER_SECOND * seconds)
      const cpu = cpuSeconds(sender.pid) ?? 0
      const took = Number(replyOf(await sender.ask({ port: receiverPort, count })))
      return { ...measurement(count / took), cpu: (((cpuSeconds(sender.pid) ?? 0) - cpu) / count) * 1e6 }
    },
  }
}

/** One event after the other at a steady pace, whether the ones before have arrived or not. */
function openLoop({ receiver }: Bench, { name, server }: Scene): Contender {
  return {
    name,
    measure: async (seconds) => {
      await receiver.ask('take')
      const events = eventsFor(1, Math.ceil(OPEN_LOOP_PER_SECOND * seconds))
      const published = new Map<string, number>()
      const started = performance.now()
      const answers: Array<Promise<void>> = []
      for (const [position, event] of events.entries()) {
        await sleep(Math.max(0, started + (position * 1_000) / OPEN_LOOP_PER_SECOND - performance.now()))
        published.set(event.id, performance.timeOrigin + performance.now())
        answers.push(publish(portIn(server), event))
      }
      await Promise.all(answers)
      await untilReceived(receiver, events.length)
      const arrivals = await taken(receiver)
      const waits = arrivals.map(([id, at]) => at - (published.get(id) ?? at))
      return { ...measurement(OPEN_LOOP_PER_SECOND), ...percentiles(waits) }
    },
  }
}

/** A failed attempt's next one is made due in two seconds; how much later it arrives. */
function lateness({ receiver }: Bench, { name, server, db }: Scene): Contender {
  return {
    name,
    measure: async (seconds) => {
      await receiver.ask('fail')
      const events = eventsFor(1, Math.ceil(400 * seconds))
      for (let from = 0; from < events.length; from += BATCH)
        await publish(portIn(server), events.slice(from, from + BATCH))
      await untilTried(db, events.length)
      await receiver.ask('heal')
      await receiver.ask('take')
      await db`update deliveries set due_at = now() + interval '2 seconds'`
      const [row] = await db<[{ due: Date }]>`
        with later as (update webhook_schedules set due_at = now() + interval '2 seconds', consecutive_failures = 0,
          probe_at = null where due_at < 'infinity')
        select now() + interval '2 seconds' as due`
      await untilReceived(receiver, events.length)
      const waits = (await taken(receiver)).map(([, at]) => at - row.due.getTime())
      return { ...measurement(events.length), ...percentiles(waits) }
    },
  }
}

function constant(name: string, perSecond: number, p99 = 0): Contender {
  return { name, measure: async () => ({ ...measurement(perSecond), p50: p99, p99 }) }
}

function measurement(perSecond: number): Measurement {
  return { perSecond, p50: 0, p99: 0, cpu: null, databaseCpu: null, failures: {} }
}

function percentiles(values: readonly number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

async function untilReceived(receiver: Child, count: number): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    const { verified, refused } = told(await receiver.ask('count'))
    if (refused > 0) throw new Error(`${refused} signatures were wrong`)
    if (verified >= count) return
    await sleep(20)
  }
  throw new Error('Not everything arrived within a minute')
}

async function untilTried(db: Db, count: number): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 100) {
    const [row] = await db<[{ tried: number }]>`
      select count(*)::int as tried from deliveries where tries > 0 and leased_until is null`
    if (row.tried >= count) return
    await sleep(100)
  }
  throw new Error('Not everything was tried within half a minute')
}

async function taken(receiver: Child): Promise<Array<[string, number]>> {
  return told(await receiver.ask('take')).arrivals
}

type Told = { verified: number; refused: number; arrivals: Array<[string, number]> }

function told(answer: unknown): Told {
  const reply = replyOf(answer)
  if (!isTold(reply)) throw new Error('The receiver answered something else')
  return reply
}

function isTold(reply: unknown): reply is Told {
  return typeof reply === 'object' && reply !== null && 'verified' in reply
}

function replyOf(answer: unknown): unknown {
  return typeof answer === 'object' && answer !== null && 'reply' in answer ? answer.reply : null
}

function portOf({ greeting }: Child): number {
  return typeof greeting === 'object' && greeting !== null && 'port' in greeting ? Number(greeting.port) : 0
}

function portIn({ ports }: Server): number {
  return ports[0] ?? 0
}

function cpuOf({ children }: Server): number {
  return children.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? 0), 0)
}
