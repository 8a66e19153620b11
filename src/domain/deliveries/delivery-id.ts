/**
 * Ids of deliveries sort by the time they were made (decision A6), which is a little after `created_at`, the beginning of the
 * transaction. So a time range is a range of ids, and that is what the indexes know. It is asked of every day's table, each
 * of which answers at once; to name the days as well would lead the planner to the wrong index.
 */
export type IdRange = {
  first: string | null
  beyond: string | null
}

/** No transaction that makes deliveries lasts this long. */
const LONGEST_TRANSACTION_MS = 5 * 60_000

/** Every delivery that was created from one moment on and before the other; a few more that were created later. */
export function idsBetween(from: Date | null, to: Date | null): IdRange {
  return {
    first: from === null ? null : idAt(from.getTime()),
    beyond: to === null ? null : idAt(to.getTime() + LONGEST_TRANSACTION_MS),
  }
}

export function isDeliveryId(text: string): boolean {
  return /^dlv_[0-9a-f]{32}$/.test(text)
}

function idAt(milliseconds: number): string {
  return `dlv_${Math.max(0, milliseconds).toString(16).padStart(12, '0')}`
}
