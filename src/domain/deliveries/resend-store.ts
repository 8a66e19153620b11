import type { DbOrTransaction } from '../../platform/db.ts'
import type { Audiences } from '../tokens/audience.ts'
import { isDeliveryId } from './delivery-id.ts'
import { holdSchedule, wakeNow } from './schedule-store.ts'
import { unwantedBecause } from './wanted-store.ts'

export type Resend =
  | { outcome: 'queued' }
  | { outcome: 'in-flight' }
  | { outcome: 'unknown' }
  /** The webhook would not get it any more; sending would only cancel it in silence. */
  | { outcome: 'unwanted'; because: string }

/**
 * Sends a delivery of an enabled webhook again, as the next one (decision D9). What still waits is tried now instead of
 * later; what is finished gets one attempt more, by hand, beside what it came to.
 */
export async function resendDelivery(
  tx: DbOrTransaction,
  audiences: Audiences,
  webhookId: string,
  id: string,
): Promise<Resend> {
  if (!isDeliveryId(id)) return { outcome: 'unknown' }
  await holdSchedule(tx, webhookId)
  const waiting = await hasten(tx, webhookId, id)
  const resend = waiting === 'none' ? await repeat(tx, audiences, webhookId, id) : { outcome: waiting }
  if (resend.outcome === 'queued') await wakeNow(tx, webhookId)
  return resend
}

/** Whoever settles it has it locked and then wants the schedule, which is ours: waiting for them would be for ever. */
async function hasten(tx: DbOrTransaction, webhookId: string, id: string): Promise<'queued' | 'in-flight' | 'none'> {
  const [row] = await tx<Array<{ id: string }>>`
    update deliveries set state = 'pending', due_at = ${nextInLine(tx, webhookId)}
    where id = (
      select id from deliveries where id = ${id} and webhook_id = ${webhookId}
        and (leased_until is null or leased_until <= now())
      for update skip locked)
    returning id`
  if (row !== undefined) return 'queued'
  const rows = await tx`select 1 from deliveries where id = ${id} and webhook_id = ${webhookId}`
  return rows.length > 0 ? 'in-flight' : 'none'
}

async function repeat(tx: DbOrTransaction, audiences: Audiences, webhookId: string, id: string): Promise<Resend> {
  const [row] = await tx<Array<{ unwanted: string | null }>>`
    select ${unwantedBecause(tx, audiences)} as unwanted
    from finished_deliveries as deliveries
    join webhooks on webhooks.id = deliveries.webhook_id
    join events on events.day = deliveries.day and events.environment = deliveries.environment
      and events.id = deliveries.event_id
    where deliveries.webhook_id = ${webhookId} and deliveries.id = ${id}`
  if (row === undefined) return { outcome: 'unknown' }
  if (row.unwanted !== null) return { outcome: 'unwanted', because: row.unwanted }
  await tx`
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, directed, manual, due_at, tries,
      attempts, created_at)
    select id, webhook_id, environment, day, event_id, event_type, directed, true, ${nextInLine(tx, webhookId)}, attempts,
           attempts, created_at
    from finished_deliveries where webhook_id = ${webhookId} and id = ${id}`
  return { outcome: 'queued' }
}

/** Somebody waits for it, so a backlog must not come first. */
function nextInLine(tx: DbOrTransaction, webhookId: string) {
  return tx`
    (select least(now(), min(due_at)) - interval '1 microsecond' from deliveries
     where webhook_id = ${webhookId} and state = 'pending')`
}
