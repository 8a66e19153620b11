import type { AccountKind } from '../credentials/account-kind.ts'
import { ABSOLUTE_SECONDS, IDLE_SECONDS } from '../sessions/session.ts'

/** Somebody who integrates: an account of its own kind, apart from nurse and facility users (decision E1). */
export type Integrator = { id: string; email: string; name: string }

/** `sid` is public; `teamId` is the team that was opened last. */
export type IntegratorSession = { sid: string; integrator: Integrator; authTime: Date; teamId: string | null }

export const LONGEST_NAME = 100

/** They stay signed in as long as people of the marketplace do (decision B19). */
export const INTEGRATOR_ACCOUNTS: AccountKind = {
  name: 'integrator',
  place: 'portal sign-in',
  owner: 'integrator_id',
  tables: {
    accounts: 'integrators',
    sessions: 'integrator_sessions',
    browsers: 'integrator_browsers',
    pendingSignIns: 'integrator_pending_sign_ins',
    resets: 'integrator_password_resets',
    totpSecrets: 'integrator_totp_secrets',
    recoveryCodes: 'integrator_recovery_codes',
  },
  idleSeconds: IDLE_SECONDS,
  absoluteSeconds: ABSOLUTE_SECONDS,
}
