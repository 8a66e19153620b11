import { type AccountCodeTry, tryAccountCode } from '../../domain/credentials/try-account-code.ts'
import { INTEGRATOR_ACCOUNTS, type Integrator } from '../../domain/integrators/integrator.ts'
import type { PortalParts } from './parts.ts'
import type { PortalBrowser } from './visit.ts'

/** A code from the app, or one of the recovery codes; each is good once. */
export async function tryCode(
  parts: PortalParts,
  browser: PortalBrowser,
  integrator: Pick<Integrator, 'id' | 'email'>,
  typed: string,
): Promise<AccountCodeTry> {
  const outcome = await tryAccountCode(parts, INTEGRATOR_ACCOUNTS, browser, integrator, typed)
  browser.logAttempt({ who: 'integrator', by: 'one-time code', outcome, account: integrator.id })
  return outcome
}
