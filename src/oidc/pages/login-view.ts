import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'

export type LoginView = {
  interaction: string
  csrf: string
  /** The application that waits, if one does. */
  applicationName: string | null
  login: string
  error: string | null
  signUp: boolean
  reset: boolean
}

export function loginPage({ interaction, csrf, applicationName, login, error, signUp, reset }: LoginView): Markup {
  return page(
    'Sign in',
    html`<h1>Sign in</h1>
${applicationName !== null && html`<p class="lead">to continue to <strong>${applicationName}</strong></p>`}
${error !== null && notice('error', error)}
${form('/oidc/login', { interaction, csrf }, [
  field({ name: 'username', label: 'E-mail or username', value: login, autocomplete: 'username' }),
  field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
${reset && html`<p class="aside"><a href="/oidc/reset?interaction=${interaction}">Forgotten your password?</a></p>`}
${signUp && html`<p class="aside">New here? <a href="/oidc/signup?interaction=${interaction}">Create an account</a></p>`}`,
  )
}
