import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sample } from './figures.ts'
import { COSTS, FILLED, LOAD, RECEIVERS } from './parameters.ts'
import { type Plan, planFor } from './plan.ts'
import { type Outcome, playOut, SCENARIOS } from './scenarios.ts'
import { type Comparison, compareWithMeasured } from './validate.ts'

const SEED = 20_261_115
/** Of a database server. */
const SIZES = [4, 16, 64]
const CORES = 16

/**
 * A million webhooks and 50,000 events a second, on paper and by a clock that jumps: no database, no network, the same figures
 * for the same seed. What a database, a worker and a receiver cost is in parameters.ts; what they do is the service's own rules.
 */
export async function benchSimulation({ only }: { only: string }): Promise<boolean> {
  const comparisons = compareWithMeasured(SEED)
  printComparisons(comparisons)
  const plans = SIZES.map((cores) => ({ cores, plan: planFor(LOAD.eventsPerSecond, cores) }))
  printPlans(plans)
  const plan = planFor(LOAD.eventsPerSecond, CORES)
  const played = SCENARIOS.filter(({ title }) => title.includes(only)).map((scenario) => {
    const outcome = playOut(scenario, plan, CORES, SEED)
    const summary = summaryOf(outcome)
    printScenario(summary)
    return summary
  })
  await write({ seed: SEED, parameters: { COSTS, LOAD, RECEIVERS, FILLED }, comparisons, plans, scenarios: played })
  return true
}

type Summary = ReturnType<typeof summaryOf>

function summaryOf({ title, home, seconds, of, workers, cores }: Outcome) {
  const { figures } = home
  return {
    title,
    seconds,
    homes: of,
    workers,
    cores,
    p50Ms: figures.lateness.at(0.5) * 1e3,
    p99Ms: figures.lateness.at(0.99) * 1e3,
    retryShare: figures.retries / figures.attempts,
    attempts: figures.attempts,
    failed: figures.failed,
    databaseFilled: home.databaseCores.busySeconds() / seconds / cores,
    workersFilled: home.workerBusy() / seconds / workers,
    samples: figures.samples,
  }
}

function printComparisons(comparisons: readonly Comparison[]): void {
  console.log('\nthe model against what was measured on one machine')
  for (const { what, measured, simulated } of comparisons) {
    const off = `${simulated >= measured ? '+' : ''}${((simulated / measured - 1) * 100).toFixed(0)} %`
    console.log(`  ${what.padEnd(46)}${shown(measured).padStart(8)}${shown(simulated).padStart(8)}  ${off}`)
  }
}

function printPlans(plans: ReadonlyArray<{ cores: number; plan: Plan }>): void {
  console.log(`\n${LOAD.eventsPerSecond.toLocaleString('en')} events a second, machines filled to ${FILLED * 100} %`)
  const heads = [
    'cores of a database',
    'databases',
    'workers',
    'deliveries/s',
    'database cores',
    'our cores',
    'WAL MB/s',
    'TB a day',
  ]
  console.log(`  ${heads.map((head) => head.padEnd(21)).join('')}`.trimEnd())
  for (const { cores, plan } of plans) {
    const { demand, databases, workersEach } = plan
    const cells = [
      cores,
      databases,
      databases * workersEach,
      Math.round(demand.deliveries),
      Math.round(demand.databaseCores),
      Math.round(demand.workerCores + demand.webCores),
      Math.round(demand.walBytes / 1e6),
      (demand.storedBytesADay / 1e12).toFixed(1),
    ]
    console.log(`  ${cells.map((cell) => cell.toLocaleString('en').padEnd(21)).join('')}`.trimEnd())
  }
}

function printScenario(summary: Summary): void {
  const { title, seconds, homes, cores, workers, p50Ms, p99Ms, retryShare, databaseFilled, workersFilled } = summary
  console.log(`\n${title}: ${seconds} s of one of ${homes} databases with ${cores} cores and ${workers} workers`)
  console.log(
    `  lateness p50 ${shown(p50Ms)} ms, p99 ${shown(p99Ms)} ms; retries ${(retryShare * 100).toFixed(2)} %; ` +
      `database ${(databaseFilled * 100).toFixed(0)} % filled, workers ${(workersFilled * 100).toFixed(0)} %`,
  )
  console.log(
    `  ${['second', 'not taken in', 'waiting', 'in flight', 'later', 'p99 ms'].map((head) => head.padStart(13)).join('')}`,
  )
  for (const { at, notTakenIn, waiting, inFlight, later, p99 } of shownSamples(summary.samples)) {
    const cells = [Math.round(at), notTakenIn, waiting, inFlight, later, shown(p99 * 1e3)]
    console.log(`  ${cells.map((cell) => cell.toLocaleString('en').padStart(13)).join('')}`)
  }
}

/** A dozen lines show how it goes; the file has all of them. */
function shownSamples(samples: readonly Sample[]): Sample[] {
  const step = Math.ceil(samples.length / 14)
  return samples.filter((_, position) => position % step === 0 || position === samples.length - 1)
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1)
}

async function write(report: object): Promise<void> {
  const folder = join(import.meta.dirname, '../results')
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'simulation.latest.json')
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  console.log(`\nwritten to ${file}`)
}
