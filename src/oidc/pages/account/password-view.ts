import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../../domain/users/password-rules.ts'
import { button, field, form, notice } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'

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
  field({
    name: 'password',
    label: 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    error: faults.current,
  }),
  field({
    name: 'new_password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters; a few words that do not belong together are good.`,
    error: faults.fresh,
  }),
  html`<div class="actions">${button('Change password')}<a class="button quiet" href="/oidc/account">Cancel</a></div>`,
])}`,
  )
}

/** Tells a password manager whose password this is; people do not see it, and it is not sent. */
export function forPasswordManagers(email: string): Markup {
  return html`<input class="unseen" type="text" autocomplete="username" value="${email}" readonly tabindex="-1" aria-hidden="true">`
}
