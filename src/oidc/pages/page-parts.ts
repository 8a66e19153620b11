import type { BrowserTools } from '../../http/browser.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import type { AuthorizeParts } from '../authorize.ts'

/** What the pages for people lean on. */
export type PageParts = AuthorizeParts & {
  browsers: BrowserTools
  passwords: PasswordHasher
  cipher: Cipher
  mailer: Mailer | null
  authUrl: string
  signUpIsOn: boolean
}
