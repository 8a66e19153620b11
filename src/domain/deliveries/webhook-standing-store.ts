import type { DbOrTransaction } from '../../platform/db.ts'
import { idsBetween } from './delivery-id.ts'
import { CIRCUIT_FAILURES } from './schedule-store.ts'

/** How a webhook stands just now. */
export type Standing = {
  /** Since its last success; null when its last attempt succeeded. */
  failingSince: Date | null
  /** After ten failures in a row only a probe is let through from time to time (decision D6). */
  circuit: { open: true; probeAt: Date | null } | { open: false }
  /** What a receiver asked for by Retry-After. */
  notBefore: Date | null
  /** Of the newest deliveries that were finished in the last 24 hours. */
  delivered: number
  failed: number
  /** Of those made in the last 24 hours: tried, not taken, and not given up. */
  unfinished: number
}

type StandingRow = {
  webhook_id: string
  failing_since: Date | null
  consecutive_failures: number
  probe_at: Date | null
  not_before: Date | null
  delivered: number
  failed: number
  unfinished: number
}

const HOURS = 24
/** So many of each webhook are counted, however many there were. */
export const MOST_COUNTED = 500

/** Of a page of webhooks, by their ids. Each costs a few hundred rows at most. */
export async function standingsOf(db: DbOrTransaction, webhookIds: readonly string[]): Promise<Map<string, Standing>> {
  const { first } = idsBetween(new Date(Date.now() - HOURS * 3_600_000), null)
  const rows = await db<StandingRow[]>`
    select schedule.webhook_id, failing_since, consecutive_failures, probe_at,
      case when not_before > now() then not_before end as not_before, counted.delivered, counted.failed,
      waiting.unfinished
    from webhook_schedules as schedule cross join lateral (
      select count(*) filter (where state = 'delivered')::int as delivered,
             count(*) filter (where state = 'failed')::int as failed
      from (select state from finished_deliveries as delivery
            where delivery.webhook_id = schedule.webhook_id and delivery.id >= ${first}
            order by delivery.id desc limit ${MOST_COUNTED}) as newest
    ) as counted cross join lateral (
      select count(*) filter (where state = 'pending' and attempts > 0)::int as unfinished
      from (select state, attempts from deliveries as delivery
            where delivery.webhook_id = schedule.webhook_id and delivery.id >= ${first} and not manual
            order by delivery.id desc limit ${MOST_COUNTED}) as newest
    ) as waiting
    where schedule.webhook_id = any(${webhookIds})`
  return new Map(
    rows.map((row) => [
      row.webhook_id,
      {
        failingSince: row.consecutive_failures > 0 ? row.failing_since : null,
        circuit:
          row.consecutive_failures >= CIRCUIT_FAILURES
            ? { open: true as const, probeAt: row.probe_at }
            : { open: false as const },
        notBefore: row.not_before,
        delivered: row.delivered,
        failed: row.failed,
        unfinished: row.unfinished,
      },
    ]),
  )
}
