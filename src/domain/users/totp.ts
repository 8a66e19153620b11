import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Time-based one-time passwords as every authenticator app makes them: SHA-1, six digits, thirty seconds (RFC 6238). */
const STEP_SECONDS = 30
const DIGITS = 6
/** A code of the step before or after is taken too: clocks differ, and typing takes time (RFC 6238 5.2). */
const DRIFT_STEPS = [0, -1, 1]
/** As long as the hash, as RFC 4226 4 recommends. */
const SECRET_BYTES = 20

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1_000 / STEP_SECONDS)
}

/** RFC 4226 5.3: four bytes of the HMAC, at a place that its last four bits name, without the sign. */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const hmac = createHmac('sha1', secret).update(counter).digest()
  const offset = hmac.readUInt8(hmac.length - 1) & 0x0f
  const number = hmac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The step whose code this is, or null. Whether that step was used already is for the store to say, in one statement. */
export function matchingStep(secret: Uint8Array, typed: string, now: Date): number | null {
  const code = typed.replaceAll(/[\s-]/g, '')
  if (!/^[0-9]{6}$/.test(code)) return null
  const steps = DRIFT_STEPS.map((drift) => stepAt(now) + drift).filter((step) =>
    timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)),
  )
  return steps[0] ?? null
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 6 without padding: how authenticator apps take a secret. Our lengths are whole groups of five bytes. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/[01]{1,5}/g, (group) => BASE32.charAt(Number.parseInt(group.padEnd(5, '0'), 2)))
}

/** What the QR code says, in the form that authenticator apps agreed on. */
export function otpauthUri(account: string, secret: Uint8Array): string {
  const query = new URLSearchParams({ secret: base32(secret), issuer: ISSUER })
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(account)}?${query.toString()}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
}

/** The name over the code in the app. */
const ISSUER = 'Handover'
