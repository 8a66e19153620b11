import { MOST_WEBHOOKS } from '../../src/delivery/loop.ts'
import { MOST_OF_ONE } from '../../src/domain/deliveries/claim-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { FAN_OUTS, WEBHOOKS } from '../delivery/scene.ts'
import { claim, eventsFor, mark, publish, settle, sleepAll, throwAway, wakeInVain } from './calls.ts'
import type { Things } from './fit.ts'
import type { Cost, Meter } from './meter.ts'

/** The kinds of calls, by their names in COSTS, and `mark`, which notes that requests have left. */
export type Call = 'publish' | 'claim' | 'emptyLook' | 'mark' | 'settle'

export type Bench = { db: Db; meter: Meter; note: (call: Call, things: Things, cost: Cost) => void }

const PUBLISHED = [1, 10, 100, 500]
/** Deliveries: with more in one call, a round would be hardly anything else. */
const MOST_PUBLISHED = 10_000
const CLAIMED_FROM = [1, 5, MOST_WEBHOOKS]
const CLAIMED_OF_EACH = [0, 1, 9, MOST_OF_ONE]

/** From the webhook of this number on, so that the same ones do not come again soon. */
export async function claimRound({ db, meter, note }: Bench, number: number): Promise<void> {
  for (const webhooks of CLAIMED_FROM) {
    for (const [place, ofEach] of CLAIMED_OF_EACH.entries()) {
      await sleepAll(db)
      note('emptyLook', {}, (await meter(() => claim(db, webhooks, 0))).cost)
      const delivery = webhooks * ofEach
      if (delivery === 0) await wakeInVain(db, webhooks)
      else await publish(db, eventsFor(1, delivery, webhooks, MOST_WEBHOOKS * (4 * number + place)), delivery)
      const { value: claims, cost } = await meter(() => claim(db, webhooks, delivery))
      // One that has something to give costs more than one that is looked at in vain.
      note('claim', { webhook: webhooks, giving: delivery === 0 ? 0 : webhooks, delivery }, cost)
      if (delivery === 0) continue
      note('mark', { delivery }, (await meter(() => mark(db, claims))).cost)
      note('settle', { delivery }, (await meter(() => settle(db, claims))).cost)
    }
  }
}

/** Each twice: to webhooks that sleep, and to the same ones when they are due already. */
export async function publishRound({ db, meter, note }: Bench): Promise<void> {
  for (const fanOut of FAN_OUTS) {
    for (const event of PUBLISHED) {
      const delivery = event * fanOut
      if (delivery > MOST_PUBLISHED) continue
      await sleepAll(db)
      for (const woken of [Math.min(WEBHOOKS, delivery), 0]) {
        const events = eventsFor(fanOut, event, WEBHOOKS / fanOut, 0)
        note('publish', { event, delivery, woken }, (await meter(() => publish(db, events, delivery))).cost)
      }
    }
  }
  await throwAway(db)
}
