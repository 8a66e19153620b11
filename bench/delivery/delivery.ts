import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { seedOtherFacilities, seedOtherWebhooks } from '../api/seed.ts'
import { startChild } from '../child-process.ts'
import { started, startHandover } from '../contenders.ts'
import { addDatabase } from '../databases.ts'
import { type Bar, printSection, type Section, writeResults } from '../report.ts'
import { type Contender, interleave } from '../rounds.ts'
import { startStorage } from '../storage.ts'
import {
  type Bench,
  bareSender,
  behindSlowReceiver,
  constant,
  lateness,
  OPEN_LOOP_PER_SECOND,
  openLoop,
  type Pipeline,
  type Scene,
  sustained,
  withSlowReceiver,
} from './measure.ts'
import { createTables } from './pipelines/pipeline-store.ts'
import { FAN_OUTS, seedOldDeliveries, seedScene } from './scene.ts'

type Options = { rounds: number; seconds: number; only: string }

const OTHER_WEBHOOKS = 1_000_000
const OLD_DELIVERIES = 10_000_000

const EMPTY = 'empty tables'
const FULL = 'full tables'
const PG_BOSS = 'pg-boss'
const GRAPHILE_WORKER = 'graphile-worker'
const BARE = 'bare sender'
const BAR = 'the bar'

const ONE_IS_SLOW = 'deliveries, fan-out 1, one receiver of 200 takes a second'
/** More than a few seconds of what the slow one takes, whoever sends. */
const WAITING_FOR_SLOW = 2_000
const BEHIND_SLOW = `deliveries, fan-out 1, ${WAITING_FOR_SLOW} wait for one that takes a second: those of the others`

/**
 * Verified deliveries: events published in batches, stored, matched, signed, sent, checked by the receiver and settled, with
 * durable commits; service, PostgreSQL and receiver on the same cores. Ours with empty tables and with full ones, and what
 * others would build on a job queue.
 */
export async function benchDelivery({ rounds, seconds, only }: Options): Promise<boolean> {
  const storage = await startStorage()
  const receiver = await startChild('both', ['bench/delivery/receiver.ts'])
  const sender = await startChild('both', ['bench/delivery/bare-sender.ts'])
  const folder = await mkdtemp(join(tmpdir(), 'handover-bench-'))
  const bench: Bench = { storage, receiver, receiverPort: started(receiver).ports[0] ?? 0, sender }
  const scenes: Scene[] = []
  const peers: Pipeline[] = []
  const sections: Section[] = []
  const isWanted = (title: string) =>
    only === '' || [EMPTY, FULL].some((name) => name.includes(only)) || title.includes(only)
  try {
    scenes.push(await open(bench, folder, EMPTY, async () => {}))
    if (FULL.includes(only)) scenes.push(await open(bench, folder, FULL, fill))
    const growth: Bar[] = scenes.length > 1 ? [{ of: FULL, to: EMPTY, atLeast: 0.8 }] : []
    const fanOuts = FAN_OUTS.filter((fanOut) => isWanted(titleOf(fanOut)))
    if (fanOuts.length > 0 || isWanted(ONE_IS_SLOW) || isWanted(BEHIND_SLOW))
      for (const name of [PG_BOSS, GRAPHILE_WORKER]) peers.push(await openPeer(bench, name))
    for (const fanOut of fanOuts) {
      const contenders = [
        ...[...scenes, ...peers].map((pipeline) => sustained(bench, pipeline, fanOut)),
        bareSender(BARE, bench),
        constant(BAR, 1_500),
      ]
      const bars: Bar[] = [
        { of: EMPTY, to: BAR, atLeast: 1 },
        { of: EMPTY, to: PG_BOSS, atLeast: 2 },
        { of: EMPTY, to: GRAPHILE_WORKER, atLeast: 0 },
        { of: EMPTY, to: BARE, atLeast: 0 },
        ...growth,
      ]
      sections.push(printSection(titleOf(fanOut), bars, await interleave(contenders, rounds, seconds)))
    }
    const withOneSlow: Array<[string, (each: Pipeline) => Contender]> = [
      [ONE_IS_SLOW, (each) => withSlowReceiver(bench, sustained(bench, each, 1))],
      [BEHIND_SLOW, (each) => behindSlowReceiver(bench, each, WAITING_FOR_SLOW)],
    ]
    for (const [title, measured] of withOneSlow.filter(([each]) => isWanted(each))) {
      const bars: Bar[] = [
        { of: EMPTY, to: PG_BOSS, atLeast: 2 },
        { of: EMPTY, to: GRAPHILE_WORKER, atLeast: 0 },
      ]
      const contenders = [...scenes, ...peers].map(measured)
      sections.push(printSection(title, bars, await interleave(contenders, rounds, seconds)))
    }
    // Theirs would go on looking for work, at the cost of what follows.
    await stop(peers.splice(0))
    const openLoops = [...scenes.map((scene) => openLoop(bench, scene)), constant(BAR, OPEN_LOOP_PER_SECOND, 100)]
    const bars: Bar[] = [
      { of: EMPTY, to: BAR, atLeast: 1, by: 'p99' },
      ...growth.map((bar) => ({ ...bar, by: 'p99' as const })),
    ]
    const inOneSecond = `publish to receipt, ${OPEN_LOOP_PER_SECOND} a second`
    if (isWanted(inOneSecond))
      sections.push(printSection(inOneSecond, bars, await interleave(openLoops, rounds, seconds)))
    const late = scenes.map((scene) => lateness(bench, scene))
    const ofRetries = 'lateness of retries'
    if (isWanted(ofRetries))
      sections.push(printSection(ofRetries, [], await interleave(late, Math.min(rounds, 3), seconds)))
    await writeResults('delivery', sections)
    return sections.every((section) => section.bars.every(({ reached }) => reached))
  } finally {
    await stop([...scenes, ...peers])
    await Promise.all(scenes.map(({ db }) => db.end()))
    await receiver.stop()
    await sender.stop()
    await storage.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function titleOf(fanOut: number): string {
  return `deliveries, fan-out ${fanOut}`
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

/** A peer's pipeline: one process as ours is, on a database of its own on the same server. */
async function openPeer({ storage, receiverPort }: Bench, name: string): Promise<Pipeline> {
  const url = new URL(storage.url)
  url.pathname = `/bench_${name.replaceAll('-', '_')}`
  await storage.db`create database ${storage.db(url.pathname.slice(1))}`
  const db = openDatabase({ url: url.href }, { prepare: false, poolSize: 1 })
  await createTables(db, receiverPort)
  await db.end()
  const child = await startChild('both', [`bench/delivery/pipelines/${name}.ts`], { DATABASE_URL: url.href })
  return { name, server: started(child) }
}

async function fill(db: Db): Promise<void> {
  await seedOtherFacilities(db)
  await seedOtherWebhooks(db, OTHER_WEBHOOKS)
  await seedOldDeliveries(db, OLD_DELIVERIES)
  // As a server that has had them for long: nothing is left to tidy up or to flush.
  await db`vacuum (freeze, analyze)`
  await db`checkpoint`
}

async function stop(pipelines: Pipeline[]): Promise<void> {
  await Promise.all(pipelines.flatMap(({ server }) => server.children.map((child) => child.stop())))
}
