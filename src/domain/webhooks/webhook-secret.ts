import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

export const MAX_SECRET_LENGTH = 256

const PREFIX = 'whsec_'
const GENERATED_BYTES = 32
const LEAST_BYTES = 16

export function newWebhookSecret(): string {
  return PREFIX + randomBytes(GENERATED_BYTES).toString('base64')
}

/** What signs (decision D3): a `whsec_` secret is the base64 of its bytes, as Standard Webhooks has it; any other is itself. */
export function signingKey(secret: string): KeyObject {
  const bytes = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')
  return createSecretKey(bytes)
}

/** Null when the secret can sign (decision C7); otherwise what is wrong with it, without quoting it. */
export function secretFault(secret: string): string | null {
  if (!secret.startsWith(PREFIX)) return null
  const encoded = secret.slice(PREFIX.length)
  const bytes = Buffer.from(encoded, 'base64')
  // Padding included: what Node would mend, the library of a receiver may refuse.
  if (bytes.toString('base64') !== encoded)
    return `begins with ${PREFIX}, so the rest must be base64, with its padding.`
  if (bytes.length < LEAST_BYTES)
    return `begins with ${PREFIX}, so the rest must be the base64 of at least ${LEAST_BYTES} bytes.`
  return null
}

/** A new secret in front of the one in use: receivers verify with either, so rotation has no gap (decision C6). */
export function rotated(secrets: readonly string[]): string[] {
  return [newWebhookSecret(), ...secrets.slice(0, 1)]
}
