import type { IntegratorFaults, IntegratorField, IntegratorTyped } from '../../domain/integrators/integrator-sign-up.ts'
import type { Offer } from '../../domain/teams/join-store.ts'
import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { faultSummary } from '../../ui/fault-summary.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { newPasswordField } from '../../ui/password-field.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { hiddenFields, withInvitation } from './invitation.ts'

export type SignUpView = {
  csrf: string
  invitation: string | null
  /** What the invitation offers, if it is still good. */
  offer: Offer | null
  /** What was typed before; the password is not given back. */
  typed: Partial<IntegratorTyped>
  faults: IntegratorFaults
  error: string | null
}

const LABELS: Record<IntegratorField, string> = { name: 'Name', email: 'E-mail', password: 'Password' }

export function signUpPage({ csrf, invitation, offer, typed, faults, error }: SignUpView): Markup {
  return portalEntryPage(
    'Create an account',
    html`<h1>Create a developer account</h1>
<p class="lead">${offer === null ? 'You get a team of your own, and can invite colleagues to it.' : html`to join <strong>${offer.teamName}</strong>`}</p>
${error !== null && notice('error', error)}
${faultSummary(LABELS, faults)}
${form('/portal/sign-up', hiddenFields(csrf, invitation), [
  field({
    name: 'name',
    label: LABELS.name,
    value: typed.name ?? '',
    autocomplete: 'name',
    maxlength: 100,
    error: faults.name,
  }),
  field({
    name: 'email',
    label: LABELS.email,
    type: 'email',
    value: typed.email ?? '',
    autocomplete: 'email',
    inputmode: 'email',
    maxlength: 254,
    hint:
      offer === null
        ? 'We send you a code to make sure that it is yours.'
        : 'Use the address that was invited. We send a code to it.',
    error: faults.email,
  }),
  newPasswordField({
    name: 'password',
    label: LABELS.password,
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    error: faults.password,
  }),
  html`<div class="actions">${button('Continue')}</div>`,
])}
<p class="aside">You have an account? <a href="/portal${withInvitation('/sign-in', invitation)}">Sign in</a></p>`,
  )
}

/** Without a way to send mail nobody can prove an address (decision B22). */
export function signUpOffPage(): Markup {
  return portalEntryPage(
    'No sign-up here',
    html`<h1>New accounts cannot be made here</h1>
<p>This service cannot send mail, so it cannot make sure that an address is yours. If you have an account, you can sign in with it.</p>
<p class="aside"><a href="/portal/sign-in">Sign in</a></p>`,
  )
}
