import type { DbOrTransaction } from '../../platform/db.ts'
import { isDeliveryId } from './delivery-id.ts'

/** An attempt that was made (decision D10). */
export type Attempt = {
  number: number
  startedAt: Date
  url: string
  status: number | null
  /** Which stage failed when there is no status. */
  error: string | null
  message: string | null
  durationMs: number
  responseHead: string | null
  responseBody: Buffer | null
  manual: boolean
}

type AttemptRow = {
  number: number
  started_at: Date
  url: string
  status: number | null
  error: string | null
  message: string | null
  duration_ms: number
  response_head: string | null
  response_body: Buffer | null
  manual: boolean
}

/** The latest first; null when the webhook has no such delivery. */
export async function listAttempts(
  db: DbOrTransaction,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
  { before, limit }: { before: number | null; limit: number },
): Promise<Attempt[] | null> {
  const day = isDeliveryId(deliveryId) ? await dayOf(db, webhookId, deliveryId) : null
  if (day === null) return null
  const rows = await db<AttemptRow[]>`
    select number, started_at, url, status, error, message, duration_ms, response_head, response_body, manual
    from attempts where day = ${day} and delivery_id = ${deliveryId}
      ${before === null ? db`` : db`and number < ${before}`}
    order by number desc limit ${limit}`
  return rows.map((row) => ({
    number: row.number,
    startedAt: row.started_at,
    url: row.url,
    status: row.status,
    error: row.error,
    message: row.message,
    durationMs: row.duration_ms,
    responseHead: row.response_head,
    responseBody: row.response_body,
    manual: row.manual,
  }))
}

/** In one statement, because a delivery can move from one table to the other at any moment. */
async function dayOf(db: DbOrTransaction, webhookId: string, deliveryId: string): Promise<string | null> {
  const [row] = await db<Array<{ day: string }>>`
    select day::text from deliveries where webhook_id = ${webhookId} and id = ${deliveryId}
    union all
    select day::text from finished_deliveries where webhook_id = ${webhookId} and id = ${deliveryId}
    limit 1`
  return row?.day ?? null
}
