import { randomBytes } from 'node:crypto'
import { openDatabase } from '../../src/platform/db.ts'
import { cpuSecondsOfChildren } from '../cores.ts'
import { seedScene } from '../delivery/scene.ts'
import { databaseCpuOf } from '../grow/scene.ts'
import { writeReport } from '../report.ts'
import { startStorage } from '../storage.ts'
import { fitOf, type Sample } from './fit.ts'
import { meterOf } from './meter.ts'
import { type Bench, type Call, claimRound, publishRound } from './round.ts'
import { type Fitted, printCosts, printFitted, printForDelivery, summaryOf } from './table.ts'

/** In a round, for each publish: these are quick. */
const CLAIMS = 4

/**
 * What the simulation reckons with: CPU of PostgreSQL and bytes of WAL of publishing, claiming, looking in vain and settling,
 * each by itself and for every thing in it. The stores are called as the doors and a worker call them, on one connection, with
 * few and with many things in a call, and the figures are fitted to the medians.
 */
export async function benchCosts({ rounds }: { rounds: number }): Promise<boolean> {
  // Images of pages come on top after every checkpoint, by how many pages are touched and not by how many calls there are.
  const storage = await startStorage({ full_page_writes: 'off' })
  const db = openDatabase({ url: storage.url }, { prepare: true, poolSize: 1 })
  const meter = meterOf(db)
  const samples: Record<Call, Map<string, Sample>> = {
    publish: new Map(),
    claim: new Map(),
    emptyLook: new Map(),
    mark: new Map(),
    settle: new Map(),
  }
  const note: Bench['note'] = (call, things, cost) => {
    const key = JSON.stringify(things)
    const sample = samples[call].get(key) ?? { things, costs: [] }
    sample.costs.push(cost)
    samples[call].set(key, sample)
  }
  const round = async (bench: Bench, number: number) => {
    // Autovacuum comes every minute; here it has just been, whenever a round begins.
    await storage.db`vacuum deliveries, webhook_schedules`
    for (let turn = 0; turn < CLAIMS; turn += 1) await claimRound(bench, number * CLAIMS + turn)
    await publishRound(bench)
  }
  try {
    // Nobody listens at the receiver's port, and nothing is sent.
    await seedScene(storage.db, randomBytes(32).toString('base64'), 9)
    await round({ db, meter, note: () => {} }, 0)
    const databaseCpu = await databaseCpuOf({ db })
    const before = { connection: databaseCpu(), server: cpuSecondsOfChildren(storage.postmaster) }
    for (let number = 1; number <= rounds; number += 1) await round({ db, meter, note }, number)
    const connection = databaseCpu() - before.connection
    const server = cpuSecondsOfChildren(storage.postmaster) - before.server
    const fitted = {
      publish: fittedOf('publish', samples.publish),
      claim: fittedOf('claim', samples.claim),
      emptyLook: fittedOf('emptyLook', samples.emptyLook),
      mark: fittedOf('mark', samples.mark),
      settle: fittedOf('settle', samples.settle),
    }
    for (const each of Object.values(fitted)) printFitted(each)
    const onTop = `${Math.round((server / connection - 1) * 100)} %`
    console.log('')
    printForDelivery(fitted)
    console.log(`vacuum, checkpoints and whatever else the server does by itself: ${onTop} on top`)
    printCosts(fitted)
    await writeReport('costs', [], Object.values(fitted).map(summaryOf))
    return true
  } finally {
    await db.end()
    await storage.stop()
  }
}

function fittedOf(call: Call, samples: ReadonlyMap<string, Sample>): Fitted {
  const all = [...samples.values()].toSorted((one, other) => deliveriesOf(one) - deliveriesOf(other))
  return { call, samples: all, fit: fitOf(all) }
}

function deliveriesOf({ things }: Sample): number {
  return things['delivery'] ?? 0
}
