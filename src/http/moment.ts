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

const TYPED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/

/** What a page's field for date and time sends, which knows no offset; our pages say that it is UTC. Or RFC 3339. */
export function readTypedMoment(written: string): Date | null {
  if (!TYPED.test(written)) return readMoment(written)
  const moment = new Date(`${written}Z`)
  return Number.isNaN(moment.getTime()) ? null : moment
}

export const NOT_A_TYPED_MOMENT = 'Write a date and a time in UTC, such as 2026-11-15T08:00.'

/** The times of a filter, each of which may be left empty; one that cannot be read is told. */
export function readTypedTimes(typed: { from: string; to: string }): {
  from: Date | null
  to: Date | null
  faults: { from?: string; to?: string }
} {
  const [from, to] = [readTypedMoment(typed.from), readTypedMoment(typed.to)]
  return {
    from: from === null ? null : inOurTime(from),
    to: to === null ? null : inOurTime(to),
    faults: {
      ...(typed.from !== '' && from === null && { from: NOT_A_TYPED_MOMENT }),
      ...(typed.to !== '' && to === null && { to: NOT_A_TYPED_MOMENT }),
    },
  }
}

/** As such a field wants it. */
export function typedMoment(moment: Date): string {
  return moment.toISOString().slice(0, 16)
}
