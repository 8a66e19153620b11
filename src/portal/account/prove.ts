import { type ProofFaults, TOO_MANY_CODES, WRONG_CODE } from '../../ui/two-factor.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { tryCode } from '../threshold/try-code.ts'
import { tryPassword } from '../threshold/try-password.ts'
import type { SignedIn } from '../threshold/visit.ts'

export type Refused = { status: number; faults: ProofFaults }

/** Null when password, and code where one is asked for, are right. The password first, so that no code is spent on a wrong one. */
export async function prove(
  parts: PortalParts,
  { browser, me, form }: SignedIn,
  asked: { code: boolean },
): Promise<Refused | null> {
  const tried = await tryPassword(parts, browser, me.email, form.get('password') ?? '')
  if (tried.outcome === 'refused') return { status: tried.status, faults: { page: tried.message } }
  if (tried.outcome === 'wrong') return { status: 400, faults: { password: 'That is not your password.' } }
  if (!asked.code) return null
  switch (await tryCode(parts, browser, me, form.get('code') ?? '')) {
    case 'too-many':
      return { status: 429, faults: { page: TOO_MANY_CODES } }
    case 'wrong':
      return { status: 400, faults: { code: WRONG_CODE } }
    case 'right':
      return null
  }
}
