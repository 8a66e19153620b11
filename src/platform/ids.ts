import { randomUUIDv7 } from 'node:crypto'

/** An id that says what it names and sorts by the time it was made (decision A6): `app_0197…`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`
}
