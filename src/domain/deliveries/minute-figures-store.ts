import type { DbOrTransaction } from '../../platform/db.ts'
import { idsBetween } from './delivery-id.ts'

/** What became of the deliveries that were made in one minute. */
export type MinuteFigures = { from: Date; delivered: number; failed: number; more: boolean }

const MINUTE_MS = 60_000
export const SHOWN_MINUTES = 30
/** Of a minute so many are counted and no more, so that this answers at once however much is sent. */
export const MOST_OF_A_MINUTE = 10_000
/** A delivery has the day of its event, which a transaction that began before midnight took yesterday. */
const LONGEST_TRANSACTION_MS = 5 * MINUTE_MS

/** The oldest first, the present one included. By when they were made, because that is what the key knows. */
export async function minuteFigures(db: DbOrTransaction, now: Date): Promise<MinuteFigures[]> {
  const begin = (Math.floor(now.getTime() / MINUTE_MS) - SHOWN_MINUTES + 1) * MINUTE_MS
  const starts = Array.from({ length: SHOWN_MINUTES }, (_, minute) => new Date(begin + minute * MINUTE_MS))
  const parts = starts.flatMap((start, minute) => daysOf(start).map((day) => ({ start, minute, day })))
  const rows = await db<Array<{ minute: number; looked: number; delivered: number; failed: number }>>`
    select part.minute, counted.* from unnest(
      ${parts.map(({ minute }) => minute)}::int[], ${parts.map(({ day }) => day)}::text[],
      ${parts.map(({ start }) => idsBetween(start, null).first)}::text[],
      ${parts.map(({ start }) => idsBetween(new Date(start.getTime() + MINUTE_MS), null).first)}::text[]
    ) as part (minute, day, first, ending)
    cross join lateral (
      select count(*)::int as looked, count(*) filter (where state = 'delivered')::int as delivered,
             count(*) filter (where state = 'failed')::int as failed
      from (select state from finished_deliveries as delivery
            where delivery.day = part.day::date and delivery.id >= part.first and delivery.id < part.ending
            order by delivery.id limit ${MOST_OF_A_MINUTE}) as made
    ) as counted`
  return starts.map((from, minute) => {
    const of = rows.filter((row) => row.minute === minute)
    const sum = (name: 'looked' | 'delivered' | 'failed') => of.reduce((total, row) => total + row[name], 0)
    return { from, delivered: sum('delivered'), failed: sum('failed'), more: sum('looked') >= MOST_OF_A_MINUTE }
  })
}

function daysOf(start: Date): string[] {
  const moments = [start, new Date(start.getTime() - LONGEST_TRANSACTION_MS)]
  return [...new Set(moments.map((moment) => moment.toISOString().slice(0, 10)))]
}
