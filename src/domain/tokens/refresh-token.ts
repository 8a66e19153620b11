import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A presented refresh token as the database knows it, for the cases where it did not simply work. */
export type KnownRefreshToken = {
  familyId: string
  applicationId: string
  scope: string[]
  audience: string | null
  expired: boolean
  revoked: boolean
  consumed: boolean
  /** Support set a leeway, it still runs, and the successor was not used yet. */
  successorSealed: Buffer | null
}

export type RefreshVerdict =
  | 'valid'
  | 'unknown'
  | 'of-another-application'
  | 'expired'
  | 'revoked'
  | 'scope-exceeded'
  | 'target-closed'
  | 'retried'
  | 'reused'

/** Decision B13, in the order in which an answer may be given away: who may ask at all comes first. */
export function judgeRefreshToken(
  token: KnownRefreshToken | null,
  request: { applicationId: string; scope: readonly string[] | null; audiences: readonly string[] },
): RefreshVerdict {
  if (token === null) return 'unknown'
  if (token.applicationId !== request.applicationId) return 'of-another-application'
  if (token.revoked) return 'revoked'
  if (token.expired) return 'expired'
  if (token.consumed && token.successorSealed === null) return 'reused'
  if (request.scope?.some((word) => !token.scope.includes(word))) return 'scope-exceeded'
  if (token.audience !== null && !request.audiences.includes(token.audience)) return 'target-closed'
  return token.consumed ? 'retried' : 'valid'
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** Only who holds the predecessor can open the successor: the key is derived from it and stored nowhere (decision B13). */
export function sealSuccessor(predecessor: string, successor: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const aes = createCipheriv('aes-256-gcm', successorKey(predecessor), iv, { authTagLength: TAG_BYTES })
  const body = Buffer.concat([aes.update(successor, 'utf8'), aes.final()])
  return Buffer.concat([iv, aes.getAuthTag(), body])
}

export function openSuccessor(predecessor: string, sealed: Buffer): string {
  const aes = createDecipheriv('aes-256-gcm', successorKey(predecessor), sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  aes.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([aes.update(sealed.subarray(IV_BYTES + TAG_BYTES)), aes.final()]).toString()
}

function successorKey(predecessor: string): Buffer {
  return Buffer.from(hkdfSync('sha256', predecessor, new Uint8Array(), 'handover refresh successor', 32))
}
