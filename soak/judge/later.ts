import type { Db } from '../../src/platform/db.ts'
import { arrivalKey } from '../ledger.ts'

/**
 * What waits for its next try, or its first one, for longer than it was to wait, because PostgreSQL's clock was ahead when that
 * was written: neither lost nor arrived (decision record 92). Asked for only where clocks jump.
 */
export async function dueLater(db: Db, urlOf: (subscriber: string) => string, subscribers: readonly string[]) {
  const rows = await db<Array<{ url: string; event_id: string }>>`
    select url, event_id from deliveries join webhooks on webhooks.id = webhook_id
    where due_at > now() + interval '1 minute'`
  const names = new Map(subscribers.map((name) => [urlOf(name), name]))
  return new Set(rows.map(({ url, event_id: id }) => arrivalKey(names.get(url) ?? '', id)))
}
