import type { TotpSetUp } from '../../../domain/users/totp-set-up.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { type ProofFaults, setUpContent } from '../../../ui/two-factor.ts'
import { ACCOUNT, TWO_FACTOR } from './two-factor-view.ts'

export type SetUpView = { csrf: string; email: string; setUp: TotpSetUp; faults: ProofFaults }

export function setUpPage({ csrf, email, setUp, faults }: SetUpView): Markup {
  return page(
    'Turn on two-factor sign-in',
    html`<p class="crumb"><a href="${ACCOUNT}">Your account</a></p>
${setUpContent({ at: TWO_FACTOR, account: ACCOUNT, csrf, email, ...setUp, faults })}`,
  )
}
