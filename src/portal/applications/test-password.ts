import { newOpaqueSecret } from '../../platform/opaque-secret.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { BUSY } from '../threshold/try-password.ts'
import type { SignedIn } from '../threshold/visit.ts'

export type TestPassword =
  | { outcome: 'made'; password: string; passwordHash: string }
  | { outcome: 'refused'; status: 429 | 503; message: string }

/** Of one integrator. A password costs as much to make as to check, and everybody who signs in stands in the same line. */
const RATE = { perSecond: 1 / 30, burst: 20 }

export async function newTestPassword({ limiter, passwords }: PortalParts, { me }: SignedIn): Promise<TestPassword> {
  if (!limiter.charge(`test password ${me.id}`, RATE).allowed)
    return { outcome: 'refused', status: 429, message: 'That was too much at once. Wait a minute and try again.' }
  const password = newOpaqueSecret().slice(0, 16)
  const passwordHash = await passwords.hash(password)
  if (passwordHash === null) return { outcome: 'refused', status: 503, message: BUSY }
  return { outcome: 'made', password, passwordHash }
}
