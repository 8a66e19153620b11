import type { Account, AccountKind } from '../credentials/account-kind.ts'

/** Somebody of support: an account of its own kind, apart from people of the marketplace and integrators (decision E1). */
export type StaffMember = Account

/** `secondFactor`: a one-time code was given in it. `fresh`: they showed a moment ago that it is them. */
export type StaffSession = {
  sid: string
  member: StaffMember
  authTime: Date
  secondFactor: boolean
  fresh: boolean
}

const HOUR = 3_600

/** A console that can change everybody's settings is not left open overnight. */
export const STAFF: AccountKind = {
  name: 'staff',
  place: 'support sign-in',
  owner: 'staff_id',
  tables: {
    accounts: 'staff',
    sessions: 'staff_sessions',
    browsers: 'staff_browsers',
    pendingSignIns: 'staff_pending_sign_ins',
    resets: 'staff_password_resets',
    totpSecrets: 'staff_totp_secrets',
    recoveryCodes: 'staff_recovery_codes',
  },
  idleSeconds: 2 * HOUR,
  absoluteSeconds: 12 * HOUR,
}

/** A link that a command printed is handed on by people, so it lives longer than a mailed one. */
export const STAFF_LINK_SECONDS = 24 * HOUR

/** What is sensitive needs a password and a code that are younger than this. */
export const FRESH_SECONDS = 10 * 60
