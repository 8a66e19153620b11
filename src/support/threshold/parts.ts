import type { Audiences } from '../../domain/tokens/audience.ts'
import type { BrowserTools } from '../../http/browser.ts'
import type { Afterwards } from '../../platform/afterwards.ts'
import type { Bell } from '../../platform/bell.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'

/** What the pages of the support console lean on. */
export type SupportParts = {
  db: Db
  browsers: BrowserTools
  passwords: PasswordHasher
  cipher: Cipher
  clock: Clock
  /** Null when no mail can be sent: whoever asked reads the answer in the portal then. */
  mailer: Mailer | null
  afterwards: Afterwards
  /** Where links in mails lead. */
  authUrl: string
  audiences: Audiences
  /** Rung when something was put into the queue. */
  bell: Bell
  /** Of this program. */
  version: string
  /** Off in demo mode alone. */
  secondFactorRequired: boolean
}
