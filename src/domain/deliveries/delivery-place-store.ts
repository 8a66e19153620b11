import type { DbOrTransaction } from '../../platform/db.ts'
import { isDeliveryId } from './delivery-id.ts'
import { RETENTION_DAYS } from './retention-store.ts'

/** Whose a delivery is, by its id alone; null when there is none. */
export async function webhookOfDelivery(db: DbOrTransaction, id: string): Promise<string | null> {
  if (!isDeliveryId(id)) return null
  // The days are named so that each of their tables answers by its key.
  const [row] = await db<Array<{ webhook_id: string }>>`
    select webhook_id from deliveries where id = ${id}
    union all
    select webhook_id from finished_deliveries where id = ${id} and day = any(array(
      select day::date from generate_series(
        (now() at time zone 'utc')::date - ${RETENTION_DAYS + 10}::int, (now() at time zone 'utc')::date + 1, '1 day') as day))
    limit 1`
  return row?.webhook_id ?? null
}
