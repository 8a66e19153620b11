import { byItsKeys } from '../../platform/by-its-keys.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Audiences } from '../tokens/audience.ts'
import type { Claim } from './claim-store.ts'
import { unwantedBecause } from './wanted-store.ts'

/**
 * Which of these claims still stand: the lease is ours, and the webhook is what it was, enabled, of an application that
 * works, and gets the event. For claims that have become too old to be sent unasked (decision D8). Answers the deliveries' ids.
 */
export async function standingClaims(
  db: Db,
  audiences: Audiences,
  claims: ReadonlyArray<Pick<Claim, 'id' | 'fence' | 'version'>>,
): Promise<Set<string>> {
  const [, rows] = await transaction(db, (tx) =>
    Promise.all([
      byItsKeys(tx),
      tx<Array<{ id: string }>>`
        select deliveries.id
        from unnest(${claims.map(({ id }) => id)}::text[], ${claims.map(({ fence }) => fence)}::int[],
                    ${claims.map(({ version }) => version)}::int[]) as held (id, fence, version)
        cross join lateral (
          select * from deliveries
          where deliveries.id = held.id and deliveries.fence = held.fence and leased_until > now() offset 0
        ) as deliveries
        join webhooks on webhooks.id = deliveries.webhook_id and webhooks.version = held.version
        join applications on applications.id = webhooks.application_id
        cross join lateral (
          select facility_id, user_id from events
          where events.day = deliveries.day and events.environment = deliveries.environment
            and events.id = deliveries.event_id offset 0
        ) as events
        where disabled_because is null and suspended_at is null and deleted_at is null
          and ${unwantedBecause(tx, audiences)} is null`,
    ]),
  )
  return new Set(rows.map(({ id }) => id))
}
