import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { supportEntryPage } from '../../ui/support-layout.ts'

export type SignInView = { csrf: string; email: string; error: string | null }

export function signInPage({ csrf, email, error }: SignInView): Markup {
  return supportEntryPage(
    'Sign in',
    html`<h1>Sign in to the support console</h1>
<p class="lead">For support staff. Integrators sign in to the <a href="/portal">developer portal</a>.</p>
${error !== null && notice('error', error)}
${form('/support/sign-in', { csrf }, [
  field({ name: 'email', label: 'E-mail', type: 'email', value: email, autocomplete: 'username', inputmode: 'email' }),
  field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
<p class="aside">Forgotten your password, or lost your phone? Whoever runs this service can print a new link for you with
<code>handover staff reset</code>.</p>`,
  )
}
