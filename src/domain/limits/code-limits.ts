import { secretHash } from '../../platform/opaque-secret.ts'
import type { FailureLimit } from './failure-store.ts'

/**
 * One-time codes are six digits and three of them are good at any moment: five guesses in a quarter of an hour and twenty in
 * a day leave whoever has the password a chance of one in fifty after a year of trying.
 */
export type CodeLimits = { quarterHour: FailureLimit; all: FailureLimit[] }

const QUARTER_HOUR = 15 * 60
const DAY = 24 * 3_600

/** A browser in which the person signed in before is counted by itself, so that a thief of the password cannot lock them out. */
export function codeLimits(userId: string, knownBrowser: string | null): CodeLimits {
  const who =
    knownBrowser === null ? userId : `${userId} in ${secretHash(knownBrowser).toString('base64url').slice(0, 22)}`
  const quarterHour = { key: `code of ${who}`, failures: 5, windowSeconds: QUARTER_HOUR }
  return { quarterHour, all: [quarterHour, { key: `code of ${who} in a day`, failures: 20, windowSeconds: DAY }] }
}
