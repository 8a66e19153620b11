import { hash, randomBytes } from 'node:crypto'

/** 256 random bits for a client secret, code, refresh token or session id: too many to guess, so a plain SHA-256 keeps them (decision B4). */
export function newOpaqueSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The only form in which such a secret is stored. */
export function secretHash(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
