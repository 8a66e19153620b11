import { LOOK_EVERY_MS, MOST_AT_ONCE, MOST_FAILING, MOST_WEBHOOKS } from '../../src/delivery/loop.ts'
import { LEASE_SECONDS, MOST_OF_ONE } from '../../src/domain/deliveries/claim-store.ts'
import { verdictOf } from '../../src/domain/deliveries/retry-schedule.ts'
import { createAgenda } from './agenda.ts'
import { type Cores, createCores } from './cores.ts'
import { createDueHeap } from './due-heap.ts'
import { type Figures, newFigures } from './figures.ts'
import { createIntake, type Publishing } from './intake.ts'
import { BELL, COSTS, SETTLE } from './parameters.ts'
import { type Population, QUICK } from './population.ts'
import { createDeliveries } from './queue.ts'
import { drawByWeight, type Random } from './random.ts'
import { answerOf } from './receivers.ts'
import { createSchedules } from './schedules.ts'
import { newWorker, type Worker } from './worker.ts'

/** One database with the webhooks that are at home in it, and the workers that send for it. */
export type Home = {
  /** Until this moment of its own clock. */
  run: (until: number) => void
  figures: Figures
  databaseCores: Cores
  /** Seconds of CPU of all workers. */
  workerBusy: () => number
  isDrained: () => boolean
  /** The database does not answer until then. */
  loseDatabase: (until: number) => void
  /** A worker ends and takes what it held along; another starts in its place. */
  loseWorker: (worker: number, until: number) => void
  /** Receivers that are well do not answer, or do again. */
  setDown: (isDown: (webhook: number) => boolean) => void
}

export type HomeOptions = {
  population: Population
  random: Random
  workers: number
  databaseCores: number
  publish: Publishing
  /** One machine for everything, receivers too, for which an answer costs so much CPU; null where each has cores of its own. */
  sharedWith: { receiver: number } | null
  sampleEvery: number
}

const PUBLISH = 0
const STORED = 1
const LOOK = 2
const CLAIMED = 3
const ANSWERED = 4
const SETTLING = 5
const SETTLED = 6
const RETRY = 7
const SAMPLE = 8

const nobody: (webhook: number) => boolean = () => false

export function createHome(options: HomeOptions): Home {
  const { population, random, publish, sharedWith, sampleEvery } = options
  const agenda = createAgenda()
  const cores = createCores(options.databaseCores)
  const deliveries = createDeliveries()
  const schedules = createSchedules(population, deliveries)
  const drawWebhook = drawByWeight(population.weights, random)
  const well = createDueHeap()
  const failing = createDueHeap()
  const figures = newFigures()
  const workers = Array.from({ length: options.workers }, newWorker)
  /** Of every delivery that is under way: whose it is, in which life of theirs, when it left, and whether it is taken. */
  const flights: Array<{ worker: number; life: number; left: number; isTaken: boolean; wasFailing: boolean }> = []
  let waiting = 0
  let inFlight = 0
  let later = 0
  let isDown = nobody
  /** At any time: whoever was has a backlog of its own. */
  let wasDown = nobody

  const intake = createIntake({
    publish,
    random,
    drawWebhook,
    agenda,
    cores,
    stored,
    codes: { publish: PUBLISH, stored: STORED },
  })

  function stored(webhooks: readonly number[], publishedAt: number): void {
    figures.events += publish.batch
    waiting += webhooks.length
    for (const webhook of webhooks) schedules.push(webhook, deliveries.add(webhook, publishedAt), agenda.now())
    for (const [worker, { isIdle }] of workers.entries()) if (isIdle) lookAt(worker, agenda.now() + BELL)
  }

  schedules.onDue((webhook, at) => (schedules.isFailing(webhook) ? failing : well).add(webhook, at))

  /** Only an earlier look takes the place of one that was entered. */
  function lookAt(worker: number, at: number): void {
    const each = workers[worker] ?? newWorker()
    if (each.look <= at && each.look > agenda.now()) return
    each.look = at
    agenda.enter(at, LOOK, worker)
  }

  function look(worker: number): void {
    const each = workers[worker] ?? newWorker()
    const now = agenda.now()
    if (each.look !== now || each.isClaiming) return
    if (each.awayUntil > now) return lookAt(worker, each.awayUntil)
    const room = MOST_AT_ONCE - each.inFlight
    const chosen = [...due(well, room, false), ...due(failing, Math.min(room, MOST_FAILING - each.failing), true)]
    figures.looks += 1
    each.isIdle = chosen.length === 0
    if (each.isIdle) {
      figures.emptyLooks += 1
      cores.work(now, COSTS.database.emptyLook)
      return lookAt(
        worker,
        Math.max(now + 1e-3, Math.min(now + LOOK_EVERY_MS / 1_000, well.next(stands), failing.next(stands))),
      )
    }
    each.isClaiming = true
    each.claimed = chosen.flatMap((webhook) => schedules.take(webhook, now))
    waiting -= each.claimed.length
    inFlight += each.claimed.length
    const { each: fixed, webhook, delivery } = COSTS.database.claim
    const cpu = fixed + chosen.length * webhook + each.claimed.length * delivery
    agenda.enter(cores.work(now + COSTS.roundTrip, cpu) + COSTS.commit, CLAIMED, worker)
  }

  function stands(webhook: number, at: number): boolean {
    return schedules.dueAt(webhook) === at
  }

  function due(heap: typeof well, room: number, isFailing: boolean): number[] {
    const most = Math.min(Math.floor(room / MOST_OF_ONE), MOST_WEBHOOKS)
    const found: number[] = []
    while (found.length < most) {
      const webhook = heap.take(agenda.now(), (each, at) => {
        if (!stands(each, at)) return false
        if (schedules.isFailing(each) === isFailing)
          return true
          // It fared otherwise since, and belongs to the others.
        ;(isFailing ? well : failing).add(each, at)
        return false
      })
      if (webhook === -1) break
      found.push(webhook)
    }
    return found
  }

  function claimed(worker: number): void {
    const each = workers[worker] ?? newWorker()
    for (const delivery of each.claimed) send(worker, each, delivery)
    each.claimed = []
    each.isClaiming = false
    lookAt(worker, Math.max(agenda.now(), each.busyUntil))
  }

  function send(worker: number, each: Worker, delivery: number): void {
    const webhook = deliveries.webhook(delivery)
    work(each, COSTS.ours.sending)
    const left = each.busyUntil
    const isWell = population.kinds[webhook] === QUICK && !wasDown(webhook)
    const wasFailing = schedules.isFailing(webhook)
    figures.attempts += 1
    if (deliveries.tries(delivery) > 0) figures.retries += 1
    if (isWell && !wasFailing) {
      figures.lateness.add(left - deliveries.dueSince(delivery))
      figures.sinceSample.add(left - deliveries.dueSince(delivery))
    }
    each.inFlight += 1
    if (wasFailing) each.failing += 1
    const { wait, isTaken } =
      sharedWith === null
        ? answerOf(population.kinds[webhook] ?? QUICK, isDown(webhook), random)
        : { wait: cores.work(left, sharedWith.receiver) - left, isTaken: true }
    flights[delivery] = { worker, life: each.life, left, isTaken, wasFailing }
    agenda.enter(left + wait, ANSWERED, delivery)
  }

  function work(each: Worker, cpu: number): void {
    const from = Math.max(agenda.now(), each.busyUntil)
    each.busyUntil = sharedWith === null ? from + cpu : cores.work(from, cpu)
    each.busy += cpu
  }

  function answered(delivery: number): void {
    const flight = flights[delivery]
    const each = workers[flight?.worker ?? 0]
    if (flight === undefined || each === undefined) return
    if (flight.life !== each.life) return endsWithItsLease(delivery, flight.left)
    work(each, COSTS.ours.answer)
    each.outcomes.push(delivery)
    if (each.isSettling) return
    each.isSettling = true
    agenda.enter(each.busyUntil + SETTLE.gather, SETTLING, flight.worker)
  }

  /** Whoever held it is gone: it is due again when the lease has ended, and no attempt is counted. */
  function endsWithItsLease(delivery: number, leasedAt: number): void {
    schedules.settled(deliveries.webhook(delivery), true, agenda.now())
    inFlight -= 1
    later += 1
    agenda.enter(leasedAt + LEASE_SECONDS, RETRY, delivery)
  }

  function settle(worker: number): void {
    const each = workers[worker] ?? newWorker()
    each.settling = each.outcomes.splice(0, SETTLE.most)
    const { each: fixed, delivery } = COSTS.database.settle
    const cpu = fixed + each.settling.length * delivery
    agenda.enter(cores.work(agenda.now() + COSTS.roundTrip, cpu) + COSTS.commit, SETTLED, worker)
  }

  function settled(worker: number): void {
    const each = workers[worker] ?? newWorker()
    const now = agenda.now()
    for (const delivery of each.settling) {
      const { isTaken = false, wasFailing = false } = flights[delivery] ?? {}
      each.inFlight -= 1
      if (wasFailing) each.failing -= 1
      inFlight -= 1
      schedules.settled(deliveries.webhook(delivery), isTaken, now)
      judge(delivery, isTaken)
    }
    each.settling = []
    each.isSettling = each.outcomes.length > 0
    if (each.isSettling) settle(worker)
    if (each.isIdle) lookAt(worker, now)
  }

  function judge(delivery: number, isTaken: boolean): void {
    const result = isTaken ? { status: 200, retryAfterSeconds: null } : { error: 'timeout' }
    const { outcome } = verdictOf(result, deliveries.tries(delivery) + 1, random.next())
    if (outcome.kind === 'retry') {
      deliveries.triedAgain(delivery)
      later += 1
      agenda.enter(agenda.now() + outcome.afterSeconds, RETRY, delivery)
      return
    }
    if (outcome.kind === 'delivered') figures.delivered += 1
    else figures.failed += 1
    deliveries.remove(delivery)
  }

  function dueAgain(delivery: number): void {
    later -= 1
    waiting += 1
    deliveries.setDue(delivery, agenda.now())
    schedules.push(deliveries.webhook(delivery), delivery, agenda.now())
  }

  function sample(): void {
    const at = agenda.now()
    const p99 = figures.sinceSample.at(0.99)
    figures.samples.push({ at, notTakenIn: intake.waiting(), waiting, inFlight, later, p99 })
    figures.sinceSample.clear()
    agenda.enter(at + sampleEvery, SAMPLE, 0)
  }

  const CARRIED_OUT: Array<(whom: number) => void> = []
  CARRIED_OUT[PUBLISH] = intake.publish
  CARRIED_OUT[STORED] = intake.stored
  CARRIED_OUT[LOOK] = look
  CARRIED_OUT[CLAIMED] = claimed
  CARRIED_OUT[ANSWERED] = answered
  CARRIED_OUT[SETTLING] = settle
  CARRIED_OUT[SETTLED] = settled
  CARRIED_OUT[RETRY] = dueAgain
  CARRIED_OUT[SAMPLE] = sample

  agenda.enter(0, PUBLISH, 0)
  agenda.enter(sampleEvery, SAMPLE, 0)
  for (const worker of workers.keys()) lookAt(worker, 1e-6 * (worker + 1))

  return {
    run: (until) => agenda.run(until, (what, whom) => CARRIED_OUT[what]?.(whom)),
    figures,
    databaseCores: cores,
    workerBusy: () => workers.reduce((sum, { busy }) => sum + busy, 0),
    isDrained: () => intake.isOver() && waiting + inFlight + later === 0,
    loseDatabase: (until) => cores.away(until),
    loseWorker(worker, until) {
      const each = workers[worker]
      if (each === undefined) return
      for (const delivery of [...each.claimed, ...each.outcomes, ...each.settling])
        endsWithItsLease(delivery, agenda.now())
      workers[worker] = { ...newWorker(), life: each.life + 1, awayUntil: until, busy: each.busy }
      agenda.enter(until, LOOK, worker)
    },
    setDown(next) {
      const before = wasDown
      wasDown = (webhook) => before(webhook) || next(webhook)
      isDown = next
    },
  }
}
