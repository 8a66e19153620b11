import { timingSafeEqual } from 'node:crypto'
import { secretHash } from '../../platform/opaque-secret.ts'
import type { ClientSecret } from './application-store.ts'

/**
 * The secret that was presented, or null. Every hash is compared, and with an unknown application one that nothing matches,
 * so that neither the answer nor the time says whether the application exists.
 */
export function matchSecret(presented: string, known: readonly ClientSecret[]): ClientSecret | null {
  const hash = secretHash(presented)
  const candidates = known.length > 0 ? known : [NOBODY]
  return candidates.reduce<ClientSecret | null>(
    (match, candidate) => (timingSafeEqual(hash, candidate.hash) && candidate !== NOBODY ? candidate : match),
    null,
  )
}

const NOBODY: ClientSecret = { id: '', hash: Buffer.alloc(32) }
