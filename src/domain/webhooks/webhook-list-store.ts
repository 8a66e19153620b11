import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import type { Webhook } from './webhook.ts'

/** A webhook in a list: without its secrets, and without all of its facilities, which may be thousands. */
export type ListedWebhook = Pick<
  Webhook,
  'id' | 'kind' | 'userId' | 'url' | 'events' | 'disabledBecause' | 'listener' | 'createdAt'
> & {
  facilityCount: number
}

type ListedRow = {
  id: string
  kind: Webhook['kind']
  user_id: string | null
  url: string
  events: string[]
  disabled_because: Webhook['disabledBecause']
  listener: string | null
  created_at: Date
  facility_count: number
}

/**
 * What an application and its people registered, both kinds in one list, newest first. Each kind is read by its own end of
 * the index, so a page costs the same however many there are. `older` is the `before` of the next page.
 */
export async function listForApplication(
  db: DbOrTransaction,
  { applicationId, environment }: { applicationId: string; environment: Environment },
  { before, limit }: { before: string | null; limit: number },
): Promise<{ webhooks: ListedWebhook[]; older: string | null }> {
  const newestOf = (kind: Webhook['kind']) => db`
    (select * from webhooks where application_id = ${applicationId} and environment = ${environment} and kind = ${kind}
       ${before === null ? db`` : db`and id < ${before}`}
     order by id desc limit ${limit + 1})`
  const rows = await db<ListedRow[]>`
    select id, kind, user_id, url, events, disabled_because, listener, created_at,
      (select count(*)::int from webhook_facilities where webhook_id = found.id) as facility_count
    from (select * from (${newestOf('facility')} union all ${newestOf('user')}) as both_kinds
          order by id desc limit ${limit + 1}) as found
    order by id desc`
  const webhooks = rows.slice(0, limit).map((row) => ({
    id: row.id,
    kind: row.kind,
    userId: row.user_id,
    url: row.url,
    events: row.events,
    disabledBecause: row.disabled_because,
    listener: row.listener,
    createdAt: row.created_at,
    facilityCount: row.facility_count,
  }))
  return { webhooks, older: rows.length > limit ? (webhooks.at(-1)?.id ?? null) : null }
}
