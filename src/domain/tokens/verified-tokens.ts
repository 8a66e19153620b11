/** What a good access token says. */
export type VerifiedToken = {
  kid: string
  jti: string
  sub: string
  clientId: string
  audiences: string[]
  scope: string[]
  sid: string | null
  issuedAt: number
  expiresAt: number
}

/**
 * Access tokens whose signature was found good before: verifying it again costs more than everything else about a request.
 * Expiry, revocation and whether its key is still trusted are asked anew at every use.
 */
export type VerifiedTokens = {
  find: (jwt: string) => VerifiedToken | null
  keep: (jwt: string, token: VerifiedToken) => void
}

/** Some 10 MB; the one that was not used for the longest makes room. */
const MOST_KEPT = 10_000

export function createVerifiedTokens(): VerifiedTokens {
  const kept = new Map<string, VerifiedToken>()
  return {
    find(jwt) {
      const token = kept.get(jwt)
      if (token === undefined) return null
      kept.delete(jwt)
      kept.set(jwt, token)
      return token
    },
    keep(jwt, token) {
      const [oldest] = kept.size < MOST_KEPT ? [] : kept.keys()
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(jwt, token)
    },
  }
}
