import type { Agenda } from './agenda.ts'
import type { Cores } from './cores.ts'
import { COSTS, INTAKES } from './parameters.ts'
import type { Random } from './random.ts'

/** Events that are published together, how many a second, and the deliveries of each. Without a rate, one batch after the other. */
export type Publishing = { batch: number; perSecond: number | null; deliveriesEach: number; most: number }

export type Intake = {
  publish: () => void
  stored: (batch: number) => void
  /** Events that whoever publishes them has not got rid of. */
  waiting: () => number
  isOver: () => boolean
}

type Parts = {
  publish: Publishing
  random: Random
  drawWebhook: () => number
  agenda: Agenda
  cores: Cores
  stored: (webhooks: readonly number[], publishedAt: number) => void
  /** By which the agenda knows the two. */
  codes: { publish: number; stored: number }
}

/** Takes as many batches in at once as there are connections; the rest waits with whoever publishes, who is told to come again. */
export function createIntake({ publish, random, drawWebhook, agenda, cores, stored, codes }: Parts): Intake {
  const { batch, perSecond, deliveriesEach, most } = publish
  const whole = Math.floor(deliveriesEach)
  const batches = new Map<number, { at: number; webhooks: number[] }>()
  let waiting: number[] = []
  let published = 0
  let underWay = 0

  function publishBatch(): void {
    const webhooks: number[] = []
    for (let event = 0; event < batch; event += 1) {
      const count = whole + (random.next() < deliveriesEach - whole ? 1 : 0)
      for (let delivery = 0; delivery < count; delivery += 1) webhooks.push(drawWebhook())
    }
    batches.set(published, { at: agenda.now(), webhooks })
    waiting.push(published)
    published += 1
    if (perSecond !== null && published < most)
      agenda.enter(agenda.now() - (Math.log(1 - random.next()) * batch) / perSecond, codes.publish, 0)
    takeIn()
  }

  function takeIn(): void {
    const now = waiting.slice(0, INTAKES - underWay)
    waiting = waiting.slice(now.length)
    underWay += now.length
    for (const number of now) {
      const { each, event, delivery } = COSTS.database.publish
      const cpu = each + batch * event + (batches.get(number)?.webhooks.length ?? 0) * delivery
      agenda.enter(cores.work(agenda.now(), cpu) + COSTS.commit + COSTS.roundTrip, codes.stored, number)
    }
  }

  return {
    publish: publishBatch,
    stored(number) {
      const { at, webhooks } = batches.get(number) ?? { at: 0, webhooks: [] }
      batches.delete(number)
      underWay -= 1
      stored(webhooks, at)
      takeIn()
      if (perSecond === null && published < most) publishBatch()
    },
    waiting: () => waiting.length * batch,
    isOver: () => published >= most && batches.size === 0,
  }
}
