import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'

export type NewPasswordView = {
  secret: string
  interaction: string
  csrf: string
  email: string
  fault: string | null
  error: string | null
}

/** The address stands in a field that cannot be changed, so that password managers know whose new password they keep. */
export function newPasswordPage({ secret, interaction, csrf, email, fault, error }: NewPasswordView): Markup {
  return page(
    'New password',
    html`<h1>Choose a new password</h1>
<p class="lead">for <strong>${email}</strong></p>
${error !== null && notice('error', error)}
${form('/oidc/reset/password', { secret, interaction, csrf }, [
  html`<input class="unseen" type="text" name="username" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`,
  field({
    name: 'password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters; a few words that do not belong together are good.`,
    error: fault ?? undefined,
  }),
  html`<p class="note">You will be signed out everywhere, and applications that were connected have to ask you again.</p>`,
  html`<div class="actions">${button('Change password')}</div>`,
])}`,
  )
}

export function linkGonePage(): Markup {
  return page(
    'This link no longer works',
    html`<h1>This link no longer works</h1>
<p>It was used already, is older than 15 minutes, or is not complete.</p>
<p class="actions"><a class="button" href="/oidc/reset">Send me another link</a></p>`,
  )
}

export function passwordChangedPage({ interaction, email }: { interaction: string; email: string }): Markup {
  return page(
    'Password changed',
    html`<h1>Your password was changed</h1>
${notice('done', html`Other browsers and connected applications of <strong>${email}</strong> are signed out.`)}
<p class="actions"><a class="button" href="/oidc/login?interaction=${interaction}">Sign in with the new password</a></p>`,
  )
}
