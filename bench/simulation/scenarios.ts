import { createHome, type Home } from './home.ts'
import { LOAD } from './parameters.ts'
import { demandOf, type Plan } from './plan.ts'
import { populationOf, QUICK } from './population.ts'
import { seededRandom } from './random.ts'

/** What happens to one of the databases, or around it. */
export type Scenario = {
  title: string
  seconds: number
  /** Moments at which something happens. */
  steps: (
    quick: (share: number) => (webhook: number) => boolean,
  ) => Array<{ at: number; happens: (home: Home) => void }>
  /** Fewer databases than planned, by this share. */
  share?: number
  /** What lasts long is played out with so small a part of a database, its cores and its workers, or it would take too long. */
  part?: number
}

const BEGIN = 60
const FIVE_MINUTES = 300
const HOUR = 3_600
const EIGHTH = 8

export const SCENARIOS: Scenario[] = [
  { title: 'nothing happens', seconds: 120, steps: () => [] },
  { title: 'half as many databases', seconds: 60, share: 0.5, steps: () => [] },
  {
    title: 'a worker is lost for 5 minutes',
    part: EIGHTH,
    seconds: BEGIN + FIVE_MINUTES + 60,
    steps: () => [{ at: BEGIN, happens: (home) => home.loseWorker(0, BEGIN + FIVE_MINUTES) }],
  },
  {
    title: 'a database is lost for 5 minutes',
    part: EIGHTH,
    seconds: BEGIN + FIVE_MINUTES + 840,
    steps: () => [{ at: BEGIN, happens: (home) => home.loseDatabase(BEGIN + FIVE_MINUTES) }],
  },
  {
    title: '1 % of receivers are dead for an hour',
    part: EIGHTH,
    seconds: BEGIN + HOUR + 600,
    steps: (quick) => [
      { at: BEGIN, happens: (home) => home.setDown(quick(0.01)) },
      { at: BEGIN + HOUR, happens: (home) => home.setDown(() => false) },
    ],
  },
]

/** `of` says how many such homes there would be. */
export type Outcome = { title: string; home: Home; seconds: number; of: number; workers: number; cores: number }

/** One database of the plan, which is like every other: they share nothing. */
export function playOut(scenario: Scenario, plan: Plan, cores: number, seed: number): Outcome {
  const { part = 1, share = 1 } = scenario
  const databases = Math.max(1, Math.round(plan.databases * share)) * part
  const demand = demandOf(LOAD.eventsPerSecond, databases)
  const random = seededRandom(seed)
  const population = populationOf(databases, demand.deliveries / databases, random)
  const chance = seededRandom(seed + 1)
  const quick = (few: number) => {
    const down = Uint8Array.from(population.kinds, (kind) => (kind === QUICK && chance.next() < few ? 1 : 0))
    return (webhook: number) => down[webhook] === 1
  }
  const workers = Math.max(2, Math.round(plan.workersEach / part))
  const coresOfIt = Math.max(1, Math.round(cores / part))
  const home = createHome({
    population,
    random,
    workers,
    databaseCores: coresOfIt,
    publish: {
      batch: LOAD.batch,
      perSecond: demand.storedEvents / databases,
      deliveriesEach: demand.deliveries / demand.storedEvents,
      most: Infinity,
    },
    sharedWith: null,
    sampleEvery: 10,
  })
  for (const { at, happens } of scenario.steps(quick)) {
    home.run(at)
    happens(home)
  }
  home.run(scenario.seconds)
  return { title: scenario.title, home, seconds: scenario.seconds, of: databases, workers, cores: coresOfIt }
}
