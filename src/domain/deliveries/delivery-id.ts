/**
 * Ids of deliveries sort by the time they were made (decision A6), which is a little after `created_at`, the beginning of the
 * transaction. So a time range is a range of ids, and a range of ids is what the indexes know.
 */

/** No transaction that makes deliveries lasts this long. */
const LONGEST_TRANSACTION_MS = 5 * 60_000

export type IdRange = { first: string; beyond: string; firstDay: string; lastDay: string }

/** Every delivery that was created from one moment on and before the other; a few more that were created later. */
export function idsBetween(from: Date | null, to: Date | null): IdRange {
  return {
    first: idAt(from?.getTime() ?? 0),
    beyond: to === null ? 'dlv_g' : idAt(to.getTime() + LONGEST_TRANSACTION_MS),
    firstDay: dayAt(from ?? new Date(0)),
    lastDay: to === null ? '9999-12-31' : dayAt(to),
  }
}

export function isDeliveryId(text: string): boolean {
  return /^dlv_[0-9a-f]{32}$/.test(text)
}

function idAt(milliseconds: number): string {
  return `dlv_${Math.max(0, milliseconds).toString(16).padStart(12, '0')}`
}

/** The day whose tables a delivery of that moment is in. */
function dayAt(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}
