import { foldLogin } from '../users/user.ts'
import type { FailureLimit } from './failure-store.ts'

/** Decision B18: ten failures in a quarter of an hour for an account at an address, a hundred an hour for an account. */
export type SignInLimits = {
  accountAndAddress: FailureLimit
  all: FailureLimit[]
  /** Guesses from elsewhere do not lock a person out of a browser they have signed in with before. */
  inKnownBrowser: FailureLimit[]
}

const QUARTER_HOUR = 15 * 60
const HOUR = 3_600

/** Where somebody signs in: people of the marketplace, integrators and staff have accounts, and counts, of their own. */
export type SignInPlace = 'sign-in' | 'portal sign-in' | 'support sign-in'

/** Counted by what was typed, known or not: a stranger cannot tell by the throttling who has an account. */
export function signInLimits(login: string, address: string, place: SignInPlace = 'sign-in'): SignInLimits {
  const account = foldLogin(login).slice(0, 320)
  const accountAndAddress = { key: `${place} ${account} from ${address}`, failures: 10, windowSeconds: QUARTER_HOUR }
  const accountAnywhere = { key: `${place} ${account}`, failures: 100, windowSeconds: HOUR }
  const anyAccount = { key: `${place} from ${address}`, failures: 300, windowSeconds: QUARTER_HOUR }
  return {
    accountAndAddress,
    all: [accountAndAddress, accountAnywhere, anyAccount],
    inKnownBrowser: [accountAndAddress, anyAccount],
  }
}
