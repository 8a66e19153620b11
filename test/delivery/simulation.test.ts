import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAgenda } from '../../bench/simulation/agenda.ts'
import { createHome } from '../../bench/simulation/home.ts'
import { demandOf, planFor } from '../../bench/simulation/plan.ts'
import { DEAD, type Population } from '../../bench/simulation/population.ts'
import { drawByWeight, seededRandom } from '../../bench/simulation/random.ts'
import { createWaits } from '../../bench/simulation/waits.ts'

const WEBHOOKS = 300

function home({
  seed = 1,
  dead = 0,
  most = 40,
  workers = 2,
}: {
  seed?: number
  dead?: number
  most?: number
  workers?: number
}) {
  const population: Population = {
    size: WEBHOOKS,
    weights: new Float64Array(WEBHOOKS).fill(1),
    kinds: Uint8Array.from({ length: WEBHOOKS }, (_, place) => (place < dead ? DEAD : 0)),
    perSecond: new Float64Array(WEBHOOKS).fill(50),
    atOnce: new Uint16Array(WEBHOOKS).fill(10),
  }
  const publish = { batch: 50, perSecond: 500, deliveriesEach: 1, most }
  const random = seededRandom(seed)
  return createHome({ population, random, workers, databaseCores: 2, publish, sharedWith: null, sampleEvery: 1 })
}

test('the agenda is carried out in order, and at one moment in the order in which it was entered', () => {
  const agenda = createAgenda()
  const done: number[] = []
  for (const [whom, at] of [5, 1, 3, 1, 4, 1].entries()) agenda.enter(at, 0, whom)
  agenda.run(10, (_, whom) => void done.push(whom))
  assert.deepEqual(done, [1, 3, 5, 2, 4, 0])
})

test('what is drawn by weight comes as often as it weighs', () => {
  const draw = drawByWeight(Float64Array.of(1, 2, 7), seededRandom(3))
  const counts = [0, 0, 0]
  for (let turn = 0; turn < 10_000; turn += 1) {
    const place = draw()
    counts[place] = (counts[place] ?? 0) + 1
  }
  for (const [place, share] of [0.1, 0.2, 0.7].entries())
    assert.ok(Math.abs((counts[place] ?? 0) / 10_000 - share) < 0.02, String(counts))
})

test('shares of waits are told to a twentieth', () => {
  const waits = createWaits()
  for (let ms = 1; ms <= 1_000; ms += 1) waits.add(ms / 1_000)
  for (const share of [0.5, 0.99]) assert.ok(Math.abs(waits.at(share) / share - 1) < 0.05, String(waits.at(share)))
})

test('the same seed gives the same result, another one another', () => {
  const told = (seed: number) => {
    const one = home({ seed })
    one.run(20)
    return JSON.stringify([one.figures.samples, one.figures.lateness.at(0.99), one.databaseCores.busySeconds()])
  }
  assert.equal(told(1), told(1))
  assert.notEqual(told(1), told(2))
})

test('everything that is published arrives, also when a worker or the database is away for a while', () => {
  const one = home({})
  one.run(1)
  one.loseWorker(0, 30)
  one.run(2)
  one.loseDatabase(12)
  one.run(400)
  assert.ok(one.isDrained())
  assert.equal(one.figures.delivered, 2_000)
})

test('dead receivers are tried as the schedule says, and others do not wait for them', () => {
  const one = home({ dead: 100, most: 400 })
  one.run(60)
  const { retries, lateness } = one.figures
  assert.ok(retries > 0)
  assert.ok(lateness.at(0.99) < 1, `p99 ${lateness.at(0.99)}`)
  assert.ok(one.figures.attempts < 400 * 50 * 0.8, 'open circuits hold back what would only fail')
})

test('a plan fills its databases as far as it may, and more events need more of them', () => {
  const [small, large] = [planFor(5_000, 16), planFor(50_000, 16)]
  assert.ok(large.databases > small.databases)
  assert.ok(large.demand.databaseCores / large.databases <= 16 * 0.6)
  assert.ok(
    demandOf(50_000, 64).storedEvents > demandOf(50_000, 2).storedEvents,
    'an event is stored in every home it reaches',
  )
})
