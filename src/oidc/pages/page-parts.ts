import type { BrowserTools } from '../../http/browser.ts'
import type { Afterwards } from '../../platform/afterwards.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import type { AuthorizeParts } from '../authorize/parts.ts'

/** What the pages for people lean on. */
export type PageParts = AuthorizeParts & {
  browsers: BrowserTools
  passwords: PasswordHasher
  cipher: Cipher
  /** Null when no mail can be sent: nobody can sign up or reset a password then (decision B22). */
  mailer: Mailer | null
  afterwards: Afterwards
  /** Where mails arrive in demo mode. */
  mailboxUrl: string | null
  authUrl: string
  signUpIsOn: boolean
}
