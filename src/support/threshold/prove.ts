import { findAccountTotp } from '../../domain/credentials/account-totp-store.ts'
import { type AccountCodeTry, tryAccountCode } from '../../domain/credentials/try-account-code.ts'
import { type AccountPasswordTry, tryAccountPassword } from '../../domain/credentials/try-account-password.ts'
import { STAFF, type StaffMember } from '../../domain/staff/staff.ts'
import { type ProofFaults, TOO_MANY_CODES, WRONG_CODE } from '../../ui/two-factor.ts'
import type { SupportParts } from './parts.ts'
import type { AtDesk, Visit } from './visit.ts'

export type Refused = { status: number; faults: ProofFaults }

export const BUSY = 'The service is busy. Try again in a moment.'
const TOO_MANY = 'Too many attempts. Wait a quarter of an hour.'
const NOT_YOURS = 'That is not your password.'

export async function tryPassword(
  parts: SupportParts,
  { browser }: Visit,
  email: string,
  password: string,
): Promise<AccountPasswordTry> {
  const tried = await tryAccountPassword(parts, STAFF, browser, email, password)
  const { outcome } = tried
  browser.logAttempt({ who: 'staff', by: 'password', outcome, account: outcome === 'right' ? tried.account.id : null })
  return tried
}

export async function tryCode(
  parts: SupportParts,
  { browser }: Visit,
  member: Pick<StaffMember, 'id' | 'email'>,
  typed: string,
): Promise<AccountCodeTry> {
  const outcome = await tryAccountCode(parts, STAFF, browser, member, typed)
  browser.logAttempt({ who: 'staff', by: 'one-time code', outcome, account: member.id })
  return outcome
}

/** Null when it was right. */
export function passwordRefusal(tried: AccountPasswordTry, wrong = NOT_YOURS): Refused | null {
  switch (tried.outcome) {
    case 'right':
      return null
    case 'wrong':
      return { status: 400, faults: { password: wrong } }
    case 'too-many':
      return { status: 429, faults: { page: TOO_MANY } }
    case 'busy':
      return { status: 503, faults: { page: BUSY } }
  }
}

/**
 * Null when the password is right, and the code where the account has a second factor. The password comes first, so that no
 * code is spent on a wrong one.
 */
export async function prove(
  parts: SupportParts,
  visit: AtDesk,
  { password, code }: { password: string; code: string },
): Promise<Refused | null> {
  const refused = passwordRefusal(await tryPassword(parts, visit, visit.me.email, password))
  if (refused !== null) return refused
  if ((await findAccountTotp(parts.db, STAFF, visit.me.id)) === null) return null
  switch (await tryCode(parts, visit, visit.me, code)) {
    case 'right':
      return null
    case 'wrong':
      return { status: 400, faults: { code: WRONG_CODE } }
    case 'too-many':
      return { status: 429, faults: { page: TOO_MANY_CODES } }
  }
}
