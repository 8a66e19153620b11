import type { DbOrTransaction } from '../../platform/db.ts'
import { CIRCUIT_FAILURES } from './schedule-store.ts'

/** A receiver's host at which webhooks fail. */
export type FailingHost = { host: string; webhooks: number; openCircuits: number; since: Date }

/** So many failing webhooks are looked at, those that have failed for longest. */
export const MOST_FAILING = 5_000
const MOST_HOSTS = 10

/** Those with the most failing webhooks. What fails has an index of its own, so what works costs nothing. */
export async function failingHosts(db: DbOrTransaction): Promise<FailingHost[]> {
  const rows = await db<Array<{ host: string; webhooks: number; circuits: number; since: Date }>>`
    with failing as materialized (
      select webhook_id, failing_since, consecutive_failures from webhook_schedules
      where failing_since is not null and consecutive_failures > 0 order by failing_since limit ${MOST_FAILING}
    )
    select substring(url from '^[a-z]+://([^/?#]*)') as host, count(*)::int as webhooks,
           count(*) filter (where consecutive_failures >= ${CIRCUIT_FAILURES})::int as circuits, min(failing_since) as since
    from failing cross join lateral (select url from webhooks where webhooks.id = failing.webhook_id limit 1) as webhook
    group by 1 order by 2 desc, 1 limit ${MOST_HOSTS}`
  return rows.map(({ host, webhooks, circuits, since }) => ({ host, webhooks, openCircuits: circuits, since }))
}
