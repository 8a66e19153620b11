import type { RateLimiter } from '../../domain/limits/rate-limiter.ts'
import type { Audiences } from '../../domain/tokens/audience.ts'
import type { BrowserTools } from '../../http/browser.ts'
import type { Afterwards } from '../../platform/afterwards.ts'
import type { Bell } from '../../platform/bell.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { PasswordHasher } from '../../platform/password-hash.ts'
import type { TargetRules } from '../../platform/safe-request/target.ts'

/** What the pages of the portal lean on. */
export type PortalParts = {
  db: Db
  browsers: BrowserTools
  passwords: PasswordHasher
  cipher: Cipher
  clock: Clock
  /** Null when no mail can be sent: nobody can sign up, be invited or reset a password then (decision B22). */
  mailer: Mailer | null
  afterwards: Afterwards
  /** Where mails arrive in demo mode. */
  mailboxUrl: string | null
  /** The addresses that integrators build with. */
  authUrl: string
  baseUrl: string
  audiences: Audiences
  limiter: RateLimiter
  /** What a webhook's URL may be (decision C9). */
  targets: TargetRules
  /** Wakes the workers; to be rung after the commit. */
  bell: Bell
}

/** Where links in mails lead: the address that is configured, whatever the request said. */
export function portalUrl({ authUrl }: PortalParts, path: string): string {
  return `${authUrl}/portal${path}`
}
