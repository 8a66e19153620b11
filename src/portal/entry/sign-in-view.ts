import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { hiddenFields, withInvitation } from './invitation.ts'

export type SignInView = {
  csrf: string
  invitation: string | null
  email: string
  error: string | null
  /** Whether mail can be sent, without which nobody can sign up or get a new password. */
  mail: boolean
}

export function signInPage({ csrf, invitation, email, error, mail }: SignInView): Markup {
  return portalEntryPage(
    'Sign in',
    html`<h1>Sign in to the developer portal</h1>
<p class="lead">Where integrators run their teams. Nurses and facilities sign in with the application they use.</p>
${error !== null && notice('error', error)}
${form('/portal/sign-in', hiddenFields(csrf, invitation), [
  field({ name: 'email', label: 'E-mail', type: 'email', value: email, autocomplete: 'username', inputmode: 'email' }),
  field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
${mail && html`<p class="aside"><a href="/portal/reset">Forgotten your password?</a></p>`}
${mail && html`<p class="aside">New here? <a href="/portal${withInvitation('/sign-up', invitation)}">Create an account</a></p>`}`,
  )
}
