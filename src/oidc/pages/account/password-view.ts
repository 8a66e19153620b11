import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../../domain/users/password-rules.ts'
import { button, form, notice } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { currentPasswordField, forPasswordManagers, newPasswordField } from '../../../ui/password-field.ts'

/** What is wrong with a field, or with the attempt as a whole. */
export type PasswordFaults = { current?: string; fresh?: string; page?: string }

export function passwordPage({ csrf, email, faults }: { csrf: string; email: string; faults: PasswordFaults }): Markup {
  return page(
    'Change your password',
    html`<p class="crumb"><a href="/oidc/account">Your account</a></p>
<h1>Change your password</h1>
<p class="lead">You will be signed out everywhere else, and applications will have to ask you to sign in again.</p>
${faults.page !== undefined && notice('error', faults.page)}
${form('/oidc/account/password', { csrf }, [
  forPasswordManagers(email),
  currentPasswordField(faults.current, 'Current password'),
  newPasswordField({
    name: 'new_password',
    label: 'New password',
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    error: faults.fresh,
  }),
  html`<div class="actions">${button('Change password')}<a class="button quiet" href="/oidc/account">Cancel</a></div>`,
])}`,
  )
}
