import { type AccountCodeTry, tryAccountCode } from '../../domain/credentials/try-account-code.ts'
import { INTEGRATOR_ACCOUNTS, type Integrator } from '../../domain/integrators/integrator.ts'
import type { PortalParts } from './parts.ts'
import type { PortalBrowser } from './visit.ts'

/** A code from the app, or one of the recovery codes; each is good once. */
export function tryCode(
  parts: PortalParts,
  browser: PortalBrowser,
  integrator: Pick<Integrator, 'id' | 'email'>,
  typed: string,
): Promise<AccountCodeTry> {
  return tryAccountCode(parts, INTEGRATOR_ACCOUNTS, browser, integrator, typed)
}
