import type { FailureLimit } from './failure-store.ts'

const QUARTER_HOUR = 15 * 60

/** A whole office behind one address logs in at the same time at most once. */
export function loginLimits(address: string): FailureLimit[] {
  return [{ key: `command line login from ${address}`, failures: 60, windowSeconds: QUARTER_HOUR }]
}

/** Codes that do not wait for anybody, typed by one account: nobody needs many tries to copy eight letters. */
export function userCodeLimits(integratorId: string): FailureLimit[] {
  return [{ key: `command line code by ${integratorId}`, failures: 20, windowSeconds: QUARTER_HOUR }]
}
