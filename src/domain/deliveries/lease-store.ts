import { byItsKeys } from '../../platform/by-its-keys.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { transaction } from '../../platform/transaction.ts'
import { type Claim, LEASE_SECONDS } from './claim-store.ts'

/** A worker that lives on keeps what it holds. Answers nothing: who lost a lease finds out when it settles. */
export async function extendLeases(db: Db, held: ReadonlyArray<Pick<Claim, 'id' | 'fence'>>): Promise<void> {
  await transaction(db, (tx) =>
    Promise.all([
      byItsKeys(tx),
      tx`
        with mine as materialized (${heldStill(tx, held)})
        update deliveries set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
        where id = any(array(select id from mine))`,
    ]),
  )
}

/**
 * Their requests have left: nobody has to wait for these any more to be sure that no request begins (decision D8). Answers
 * which were noted; one that somebody holds at this moment is passed over.
 */
export async function markSent(db: Db, held: ReadonlyArray<Pick<Claim, 'id' | 'fence'>>): Promise<Set<string>> {
  const [, rows] = await transaction(db, (tx) =>
    Promise.all([
      byItsKeys(tx),
      tx<Array<{ id: string }>>`
        with mine as materialized (${heldStill(tx, held)})
        update deliveries set sent = true where id = any(array(select id from mine)) returning id`,
    ]),
  )
  return new Set(rows.map(({ id }) => id))
}

/** Who settles them at this moment holds them locked, in an order of their own: to wait for them could be a deadlock. */
function heldStill(tx: DbOrTransaction, held: ReadonlyArray<Pick<Claim, 'id' | 'fence'>>) {
  return tx`
    select ours.id from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ fence }) => fence)}::int[]) as held (id, fence)
    cross join lateral (
      select deliveries.id from deliveries
      where deliveries.id = held.id and deliveries.fence = held.fence and leased_until is not null
      for update of deliveries skip locked
    ) as ours`
}

type Held = Pick<Claim, 'id' | 'fence'>

/** Given back unsent, or unanswered by the time a worker stops: the next in line again, and no attempt is counted. */
export async function releaseClaims(db: Db, held: readonly Held[]): Promise<void> {
  if (held.length > 0) await giveBack(db, held, null)
}

/** What cannot be sent or written down by a fault of ours is tried again when its lease would have ended; till then others come first. */
export async function postponeClaim(db: Db, held: Held): Promise<void> {
  await giveBack(db, [held], LEASE_SECONDS)
}

async function giveBack(db: Db, held: readonly Held[], dueInSeconds: number | null): Promise<void> {
  await retriedTransaction(db, async (tx) => {
    const given = await tx<Array<{ webhook_id: string }>>`
      update deliveries set leased_until = null, sent = false,
        due_at = coalesce(now() + make_interval(secs => ${dueInSeconds}), due_at)
      from unnest(${held.map(({ id }) => id)}::text[], ${held.map(({ fence }) => fence)}::int[]) as held (id, fence)
      where deliveries.id = held.id and deliveries.fence = held.fence and deliveries.leased_until is not null
      returning webhook_id`
    const webhooks = [...new Set(given.map(({ webhook_id }) => webhook_id))]
    await tx`
      update webhook_schedules set due_at = now(), capped = false where webhook_id in
        (select webhook_id from webhook_schedules where webhook_id = any(${webhooks}) order by webhook_id for update)`
  })
}
