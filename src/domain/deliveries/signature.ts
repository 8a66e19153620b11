import { createHmac } from 'node:crypto'
import { signingKey } from '../webhooks/webhook-secret.ts'

/** The headers of Standard Webhooks: one `v1` signature for each secret, in order (decision D3). */
export function signedHeaders(
  { id, body }: { id: string; body: string | Uint8Array },
  secrets: readonly string[],
  now: Date,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.`).update(body)
    return `v1,${mac.digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
