import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../../domain/users/password-rules.ts'
import { changePasswordContent, type PasswordFaults } from '../../../ui/change-password.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'

const ACCOUNT = '/oidc/account'
const LEAD = 'You will be signed out everywhere else, and applications will have to ask you to sign in again.'

export function passwordPage(view: { csrf: string; email: string; faults: PasswordFaults }): Markup {
  const rules = { shortest: SHORTEST_PASSWORD, longest: LONGEST_PASSWORD }
  return page(
    'Change your password',
    html`<p class="crumb"><a href="${ACCOUNT}">Your account</a></p>
${changePasswordContent({ account: ACCOUNT, lead: LEAD, ...rules, ...view })}`,
  )
}
