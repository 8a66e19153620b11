import { randomUUIDv7 } from 'node:crypto'

let lastMillisecond = ''
let countInIt = 0

/**
 * An id that says what it names and sorts by the time it was made (decision A6): `app_0197…`. Those of one millisecond
 * are counted in the twelve bits after the version (RFC 9562, section 6.2, method 1), so that what one process wrote
 * down first is also listed first. They suffice: making one takes longer than a 4,096th of a millisecond.
 */
export function newId(prefix: string): string {
  const uuid = randomUUIDv7()
  const millisecond = uuid.slice(0, 13)
  countInIt = millisecond === lastMillisecond ? Math.min(countInIt + 1, 0xfff) : 0
  lastMillisecond = millisecond
  const count = countInIt.toString(16).padStart(3, '0')
  return `${prefix}_${millisecond.replace('-', '')}7${count}${uuid.slice(19, 23)}${uuid.slice(24)}`
}
