import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import { openSecrets } from '../webhooks/sealed-secrets.ts'
import { isDeliveryId } from './delivery-id.ts'
import { requestHeaders } from './request-headers.ts'

/** A request as it was sent, as far as that can be told today: with the secrets that its webhook has now. */
export type SentRequest = { headers: Record<string, string>; body: string }

/** The latest attempt of a delivery to a webhook of this team; null for everybody else, and when none was made yet. */
export async function findSentRequest(
  db: DbOrTransaction,
  cipher: Cipher,
  teamId: string,
  deliveryId: string,
): Promise<SentRequest | null> {
  if (!isDeliveryId(deliveryId)) return null
  const [row] = await db<
    Array<{ webhook_id: string; secrets_sealed: Buffer; event_id: string; body: string; started_at: Date }>
  >`
    with days as (
      select (now() at time zone 'utc')::date - back as day from generate_series(-1, 40) as back
    ), found as (
      select webhook_id, day, environment, event_id from deliveries where id = ${deliveryId}
      union all
      -- A replay is of the day of its event, so the id does not say which day's table it is in: each is asked for it.
      select kept.* from days cross join lateral (
        select webhook_id, day, environment, event_id from finished_deliveries
        where finished_deliveries.day = days.day and finished_deliveries.id = ${deliveryId}
      ) as kept
      limit 1
    )
    select webhook_id, secrets_sealed, event_id, event.body, attempt.started_at from found
    join webhooks on webhooks.id = webhook_id
    join applications on applications.id = webhooks.application_id and team_id = ${teamId} and deleted_at is null
    cross join lateral (
      select body from events
      where events.day = found.day and events.environment = found.environment and events.id = found.event_id limit 1
    ) as event
    cross join lateral (
      select started_at from attempts
      where attempts.day = found.day and delivery_id = ${deliveryId} order by number desc limit 1
    ) as attempt`
  if (!row) return null
  const secrets = openSecrets(cipher, row.webhook_id, row.secrets_sealed)
  return { headers: requestHeaders({ id: row.event_id, body: row.body }, secrets, row.started_at), body: row.body }
}
