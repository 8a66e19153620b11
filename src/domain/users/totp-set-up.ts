import type { Cipher } from '../../platform/cipher.ts'
import { type QrPath, qrPath } from '../../platform/qr-path.ts'
import { inGroups } from './recovery-code.ts'
import { base32, otpauthUri } from './totp.ts'

/** A secret on its way into somebody's app: nothing is stored until a right code shows that it has arrived. */
export type TotpSetUp = {
  uri: string
  qr: QrPath
  /** The secret as people type it. */
  key: string
  /** The secret as the form carries it. */
  sealed: string
}

/** `context` names the account and the session: the form is good for nobody else. */
export function totpSetUp(cipher: Cipher, context: string, email: string, secret: Uint8Array): TotpSetUp {
  const uri = otpauthUri(email, secret)
  return {
    uri,
    qr: qrPath(uri),
    key: inGroups(base32(secret), ' '),
    sealed: cipher.encrypt(secret, context).toString('base64url'),
  }
}

/** The secret of a form that came back; null when it was not made for this account in this session. */
export function secretOfSetUp(cipher: Cipher, context: string, sealed: string | null): Buffer | null {
  try {
    return cipher.decrypt(Buffer.from(sealed ?? '', 'base64url'), context)
  } catch {
    return null
  }
}
