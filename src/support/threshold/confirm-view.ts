import { button, field, form as formMarkup, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { forPasswordManagers } from '../../ui/password-field.ts'
import type { ProofFaults } from '../../ui/two-factor.ts'

// Names that no form of ours has, because its own fields travel beside them.
export const CONFIRM_PASSWORD = 'confirm_password'
export const CONFIRM_CODE = 'confirm_code'

export type ConfirmView = {
  action: string
  csrf: string
  email: string
  /** What was about to be done. */
  form: { names: () => string[]; get: (name: string) => string | null }
  withCode: boolean
  faults: ProofFaults
}

export function confirmContent({ action, csrf, email, form, withCode, faults }: ConfirmView): Markup {
  const kept = form.names().filter((name) => !['csrf', CONFIRM_PASSWORD, CONFIRM_CODE].includes(name))
  const hidden = Object.fromEntries(kept.map((name) => [name, form.get(name) ?? '']))
  return html`<section class="card narrow">
<h1>Confirm that it is you</h1>
<p class="lead">What you are about to do is sensitive, and you signed in more than ten minutes ago. Nothing has been changed
yet; it is done as soon as you confirm.</p>
${faults.page !== undefined && notice('error', faults.page)}
${formMarkup(action, { csrf, ...hidden }, [
  forPasswordManagers(email),
  field({
    name: CONFIRM_PASSWORD,
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    error: faults.password,
  }),
  withCode &&
    field({
      name: CONFIRM_CODE,
      label: 'Code from your app, or a recovery code',
      autocomplete: 'one-time-code',
      error: faults.code,
    }),
  html`<div class="actions">${button('Confirm and go on')}<a class="button quiet" href="/support">Cancel</a></div>`,
])}
</section>`
}
