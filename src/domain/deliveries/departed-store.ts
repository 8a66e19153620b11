import type { Db } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { endDeliveries } from './finish-store.ts'

const STEP = 1_000
/** A turn that takes longer goes on with the next one. */
const TURN_MS = 2_000

/**
 * What waited for webhooks that were deleted is cancelled, in small steps, on any number of processes. A departed webhook is
 * remembered for a minute at least: an event that was matched with it just before may still bring it a delivery.
 */
export async function cancelDeparted(db: Db): Promise<number> {
  const until = performance.now() + TURN_MS
  let total = 0
  let done = STEP
  while (done === STEP && performance.now() < until) {
    done = await cancelStep(db)
    total += done
  }
  await db`
    delete from departed_webhooks where webhook_id in (
      select webhook_id from departed_webhooks as departed where departed_at < now() - interval '1 minute'
        and not exists (select 1 from deliveries where deliveries.webhook_id = departed.webhook_id)
      limit ${STEP})`
  return total
}

function cancelStep(db: Db): Promise<number> {
  return retriedTransaction(db, async (tx) => {
    // Webhook by webhook, so that no plan reads the whole queue for the few that have departed.
    const waiting = await tx<Array<{ id: string }>>`
      select waiting.id from departed_webhooks as departed cross join lateral (
        select id from deliveries
        where webhook_id = departed.webhook_id and (leased_until is null or leased_until <= now())
        limit ${STEP} for update skip locked
      ) as waiting limit ${STEP}`
    if (waiting.length === 0) return 0
    const ids = waiting.map(({ id }) => id)
    return endDeliveries(tx, ids, { state: 'cancelled', because: 'webhook_deleted' })
  })
}
