import type { DbOrTransaction } from '../../platform/db.ts'
import type { Audiences } from '../tokens/audience.ts'

/**
 * Why a webhook does not get a delivery any more; null when it does. Asked at every attempt (decisions C5, D2), of rows that
 * are called `deliveries`, `webhooks` and `events`. What was made for one webhook alone is a test and always sent.
 *
 * Each is looked up by itself (offset 0 keeps it so): as long as there are a few thousand webhooks, the planner would rather
 * read all of them first, at every claim.
 */
export function unwantedBecause(db: DbOrTransaction, audiences: Audiences) {
  return db`
    case
      when deliveries.directed then null
      when not webhooks.events && array[deliveries.event_type, 'all'] then 'event_unsubscribed'
      when webhooks.kind = 'facility' then case
        when not exists (select 1 from webhook_facilities as listed
          where listed.webhook_id = webhooks.id and listed.facility_id = events.facility_id offset 0) then 'facility_removed'
        when webhooks.user_id is null and not exists (select 1 from facility_connections as c
          where c.environment = webhooks.environment and c.facility_id = events.facility_id
            and c.application_id = webhooks.application_id offset 0) then 'access_lost'
        when webhooks.user_id is not null and not exists (select 1 from facility_access as a
          where a.environment = webhooks.environment and a.facility_id = events.facility_id
            and a.user_id = webhooks.user_id offset 0) then 'access_lost' end
      when not exists (select 1 from consents where consents.user_id = events.user_id
        and consents.application_id = webhooks.application_id
        and consents.audience = case webhooks.environment when 'production' then ${audiences.production}
                                else ${audiences.sandbox} end offset 0) then 'consent_revoked'
      end`
}
