import type { FailureLimit } from './failure-store.ts'

const QUARTER_HOUR = 15 * 60

/** A signature cannot be guessed; these keep one address from having us store challenges and check signatures without end. */
export function challengeLimit(address: string): FailureLimit {
  return { key: `passkey challenge from ${address}`, failures: 300, windowSeconds: QUARTER_HOUR }
}

export function passkeyLimit(address: string): FailureLimit {
  return { key: `passkey sign-in from ${address}`, failures: 60, windowSeconds: QUARTER_HOUR }
}
