import { button, form, notice } from './form.ts'
import { html, type Markup } from './html.ts'
import { currentPasswordField, forPasswordManagers, newPasswordField } from './password-field.ts'

/** What is wrong with a field, or with the attempt as a whole; `password` is the one they have. */
export type PasswordFaults = { password?: string; fresh?: string; page?: string }

export type ChangePassword = {
  /** The address of the account's page. */
  account: string
  csrf: string
  email: string
  /** What else a new password does. */
  lead: string
  shortest: number
  longest: number
  faults: PasswordFaults
}

/** The page on which somebody changes their password, whatever kind of account it is. */
export function changePasswordContent(view: ChangePassword): Markup {
  const { account, csrf, email, lead, shortest, longest, faults } = view
  return html`<h1>Change your password</h1>
<p class="lead">${lead}</p>
${faults.page !== undefined && notice('error', faults.page)}
${form(`${account}/password`, { csrf }, [
  forPasswordManagers(email),
  currentPasswordField(faults.password, 'Current password'),
  newPasswordField({ name: 'new_password', label: 'New password', shortest, longest, error: faults.fresh }),
  html`<div class="actions">${button('Change password')}<a class="button quiet" href="${account}">Cancel</a></div>`,
])}`
}
