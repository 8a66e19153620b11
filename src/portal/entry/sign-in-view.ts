import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { passkeyButton, passkeyNotes } from '../../ui/passkey-button.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { type Errand, errandFields, withErrand } from './errand.ts'

export type SignInView = {
  csrf: string
  errand: Errand | null
  email: string
  error: string | null
  /** Whether mail can be sent, without which nobody can sign up or get a new password. */
  mail: boolean
}

export function signInPage({ csrf, errand, email, error, mail }: SignInView): Markup {
  return portalEntryPage(
    'Sign in',
    html`<h1>Sign in to the developer portal</h1>
<p class="lead">Where integrators run their teams. Nurses and facilities sign in with the application they use.</p>
${error !== null && notice('error', error)}
${form('/portal/sign-in', errandFields(csrf, errand), [
  field({ name: 'email', label: 'E-mail', type: 'email', value: email, autocomplete: 'username', inputmode: 'email' }),
  field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }),
  html`<div class="actions">${button('Sign in')}${passkeyButton({
    label: 'Sign in with a passkey',
    kind: 'quiet',
    action: '/portal/sign-in/passkey',
    begin: '/portal/sign-in/passkey/challenge',
  })}</div>`,
  passkeyNotes({
    fault: 'No passkey was used. Try again, or sign in with your password.',
    without: 'Signing in with a passkey needs JavaScript. Your password works without.',
  }),
])}
${mail && html`<p class="aside"><a href="/portal/reset">Forgotten your password?</a></p>`}
${mail && html`<p class="aside">New here? <a href="/portal${withErrand('/sign-up', errand)}">Create an account</a></p>`}`,
  )
}
