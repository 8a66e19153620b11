import { createHmac, timingSafeEqual } from 'node:crypto'

const FIVE_MINUTES = 300

/** `body` is what came, byte for byte: JSON that was parsed and written again is another text. */
export function verifySignature(
  headers: Record<string, string>,
  body: Buffer,
  secret: string,
  now = Date.now(),
): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !timestamp || !signatures) return 'not signed'

  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${mac}`)
  const matches = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  // Anybody can sign with an empty key.
  if (!matches || key.length === 0) return 'wrong signature'

  const age = Math.abs(now / 1_000 - Number(timestamp))
  return age <= FIVE_MINUTES ? 'valid' : 'old timestamp'
}
