const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

export const NOT_A_MOMENT = 'must be a time with its offset, such as 2026-11-15T08:00:00Z.'

/** RFC 3339, with its offset from UTC: a time without one would be a guess. Null when it is something else. */
export function readMoment(written: string): Date | null {
  const moment = new Date(written)
  return SHAPE.test(written) && !Number.isNaN(moment.getTime()) ? moment : null
}

/** Nothing of ours is older than 1970, and PostgreSQL knows no year 0; so an earlier moment may as well be that one. */
export function inOurTime(moment: Date): Date {
  return new Date(Math.max(0, moment.getTime()))
}
