import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/platform/db.ts'
import type { Child } from '../child-process.ts'
import type { Server } from '../contenders.ts'
import { cpuSeconds, cpuSecondsOfChildren } from '../cores.ts'
import type { Contender, Measurement } from '../rounds.ts'
import type { BenchStorage } from '../storage.ts'
import { eventAt, eventsFor, type NewEvent, publish } from './publish.ts'
import { replyOf, taken, untilReceived } from './receipts.ts'
import { facilityOf } from './scene.ts'

const BATCH = 500
/** Deliveries for each second that a round is to take. */
const PER_SECOND = 2_500
export const OPEN_LOOP_PER_SECOND = 200
/** Long enough to write down the last of what was delivered: that belongs to whose it is, not to who comes next. */
const SETTLING_MS = 300

/** A pipeline to measure: ours with its database, or a peer's. */
export type Pipeline = { name: string; server: Server }

/** Ours, with its database. */
export type Scene = Pipeline & { db: Db }

export type Bench = { storage: BenchStorage; receiver: Child; receiverPort: number; sender: Child }

/** So many deliveries in batches of 500 events, from the first publish to the last receipt. */
export function sustained({ storage, receiver }: Bench, { name, server }: Pipeline, fanOut: number): Contender {
  return {
    name,
    measure: async (seconds) => {
      const events = eventsFor(fanOut, Math.ceil((PER_SECOND * seconds) / fanOut))
      await receiver.ask('take')
      const cpu = cpuOf(server)
      const databaseCpu = cpuSecondsOfChildren(storage.postmaster)
      const started = performance.now()
      await publishAll(server, events)
      const count = events.length * fanOut
      await untilReceived(receiver, count)
      const took = (performance.now() - started) / 1_000
      await sleep(SETTLING_MS)
      return {
        ...measurement(count / took),
        cpu: ((cpuOf(server) - cpu) / count) * 1e6,
        databaseCpu: ((cpuSecondsOfChildren(storage.postmaster) - databaseCpu) / count) * 1e6,
      }
    },
  }
}

/** The same while one webhook of 200 is answered only after a second. */
export function withSlowReceiver({ receiver }: Bench, { name, measure }: Contender): Contender {
  return {
    name,
    measure: async (seconds) => {
      await receiver.ask('slow')
      const measured = await measure(seconds)
      await receiver.ask('quick')
      return measured
    },
  }
}

/** What others get while so much waits for one webhook that is answered only after a second. */
export function behindSlowReceiver({ receiver }: Bench, { name, server }: Pipeline, waiting: number): Contender {
  return {
    name,
    measure: async (seconds) => {
      const slow = facilityOf(1, 0)
      const others = eventsFor(1, Math.ceil(PER_SECOND * seconds)).filter(({ facilityId }) => facilityId !== slow)
      await receiver.ask('slow')
      await receiver.ask('take')
      await publishAll(
        server,
        Array.from({ length: waiting }, () => eventAt(slow)),
      )
      const started = performance.now()
      await publishAll(server, others)
      await untilReceived(receiver, others.length, 'the quick')
      const took = (performance.now() - started) / 1_000
      await receiver.ask('quick')
      await untilReceived(receiver, others.length + waiting)
      return measurement(others.length / took)
    },
  }
}

export function bareSender(name: string, { sender, receiverPort }: Bench): Contender {
  return {
    name,
    measure: async (seconds) => {
      const count = Math.ceil(PER_SECOND * seconds)
      const cpu = cpuSeconds(sender.pid) ?? 0
      const took = Number(replyOf(await sender.ask({ port: receiverPort, count })))
      return { ...measurement(count / took), cpu: (((cpuSeconds(sender.pid) ?? 0) - cpu) / count) * 1e6 }
    },
  }
}

/** One event after the other at a steady pace, whether the ones before have arrived or not. */
export function openLoop({ receiver }: Bench, { name, server }: Pipeline): Contender {
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
export function lateness({ receiver }: Bench, { name, server, db }: Scene): Contender {
  return {
    name,
    measure: async (seconds) => {
      await receiver.ask('fail')
      const events = eventsFor(1, Math.ceil(400 * seconds))
      await publishAll(server, events)
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

/** A bar that is a figure and no contender. */
export function constant(name: string, perSecond: number, p99 = 0): Contender {
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

async function untilTried(db: Db, count: number): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 100) {
    const [row] = await db<[{ tried: number }]>`
      select count(*)::int as tried from deliveries where tries > 0 and leased_until is null`
    if (row.tried >= count) return
    await sleep(100)
  }
  throw new Error('Not everything was tried within half a minute')
}

async function publishAll(server: Server, events: NewEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += BATCH)
    await publish(portIn(server), events.slice(from, from + BATCH))
}

function portIn({ ports }: Server): number {
  return ports[0] ?? 0
}

function cpuOf({ children }: Server): number {
  return children.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? 0), 0)
}
