import { createHome } from './home.ts'
import type { Publishing } from './intake.ts'
import type { Population } from './population.ts'
import { seededRandom } from './random.ts'

/** What `npm run bench -- delivery` measured on a machine with two cores for everything (three rounds; lowest and highest of them). */
const MEASURED = [
  { what: 'fan-out 1, deliveries a second', measured: 3_962, between: [3_752, 4_550], fanOut: 1 },
  { what: 'fan-out 10', measured: 5_099, between: [4_529, 5_176], fanOut: 10 },
  { what: 'fan-out 100', measured: 5_757, between: [4_166, 5_918], fanOut: 100 },
] as const
const MEASURED_P50 = 0.0143
const MEASURED_P99 = 0.0467

/** CPU of the benchmark's receiver for a request: what two cores did for the bare sender (11,758 a second, 87 µs of it its own). */
const RECEIVER = 83e-6
const WEBHOOKS = 200
const DELIVERIES = 3_000
const BATCH = 500

export type Comparison = { what: string; measured: number; simulated: number }

/** The same run as the benchmark's, in the model: how far off it is says how far it can be believed. */
export function compareWithMeasured(seed: number): Comparison[] {
  const rates = MEASURED.map(({ what, measured, fanOut }) => {
    const events = DELIVERIES / fanOut
    const batch = Math.min(BATCH, events)
    const home = benchHome({ batch, perSecond: null, deliveriesEach: fanOut, most: events / batch }, seed)
    let seconds = 0
    while (!home.isDrained() && seconds < 60) home.run((seconds += 0.01))
    return { what, measured, simulated: DELIVERIES / seconds }
  })
  const steady = benchHome({ batch: 1, perSecond: 200, deliveriesEach: 1, most: 2_000 }, seed)
  steady.run(10)
  const { lateness } = steady.figures
  return [
    ...rates,
    {
      what: 'publish to leaving at 200 a second, p50 ms',
      measured: MEASURED_P50 * 1e3,
      simulated: lateness.at(0.5) * 1e3,
    },
    { what: 'the same, p99 ms', measured: MEASURED_P99 * 1e3, simulated: lateness.at(0.99) * 1e3 },
  ]
}

function benchHome(publish: Publishing, seed: number) {
  const population: Population = {
    size: WEBHOOKS,
    weights: new Float64Array(WEBHOOKS).fill(1),
    kinds: new Uint8Array(WEBHOOKS),
    perSecond: new Float64Array(WEBHOOKS).fill(10_000),
    atOnce: new Uint16Array(WEBHOOKS).fill(100),
  }
  return createHome({
    population,
    random: seededRandom(seed),
    workers: 1,
    databaseCores: 2,
    publish,
    sharedWith: { receiver: RECEIVER },
    sampleEvery: 1,
  })
}
