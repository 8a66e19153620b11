import { isIntegratorsBrowser } from '../../domain/integrators/integrator-session-store.ts'
import { useIntegratorCode, useIntegratorRecoveryCode } from '../../domain/integrators/integrator-totp-store.ts'
import { codeLimits } from '../../domain/limits/code-limits.ts'
import { countAttempt, forgive } from '../../domain/limits/failure-store.ts'
import { readRecoveryCode } from '../../domain/users/recovery-code.ts'
import type { PortalParts } from './parts.ts'
import type { PortalBrowser } from './visit.ts'

export type CodeTry = 'right' | 'wrong' | 'too-many'

/** A code from the app, or one of the recovery codes; each is good once. Counted before it is tried. */
export async function tryCode(
  { db, cipher, clock }: PortalParts,
  browser: PortalBrowser,
  { id, email }: { id: string; email: string },
  typed: string,
): Promise<CodeTry> {
  const known = await isIntegratorsBrowser(db, email, browser.id)
  const limits = codeLimits(id, known ? browser.id : null)
  const allowed = await countAttempt(db, limits.all)
  if (!allowed.allowed) return 'too-many'
  const recoveryCode = readRecoveryCode(typed)
  const right =
    recoveryCode === null
      ? await useIntegratorCode(db, cipher, { id, code: typed, now: clock() })
      : await useIntegratorRecoveryCode(db, id, recoveryCode)
  if (!right) return 'wrong'
  await forgive(db, limits.all, [limits.quarterHour])
  return 'right'
}
