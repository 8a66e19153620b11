import { button, field, form } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'

export type CodeView = { interaction: string; csrf: string; error: string | null }

export function totpPage({ interaction, csrf, error }: CodeView): Markup {
  return page(
    'Enter your code',
    html`<h1>Enter your code</h1>
<p class="lead">Your password was right. Now open your authenticator app and type the six digits it shows for
<strong>Handover</strong>.</p>
${form('/oidc/totp', { interaction, csrf }, [
  field({
    name: 'code',
    label: 'Six-digit code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    error: error ?? undefined,
  }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
<p class="aside">No phone at hand? <a href="/oidc/totp?interaction=${interaction}&amp;with=recovery">Use a recovery code</a></p>
<p class="aside"><a href="/oidc/login?interaction=${interaction}">Sign in as somebody else</a></p>`,
  )
}

export function recoveryPage({ interaction, csrf, error }: CodeView): Markup {
  return page(
    'Use a recovery code',
    html`<h1>Use a recovery code</h1>
<p class="lead">One of the ten codes you kept when you turned on two-factor sign-in. Each works once.</p>
${form('/oidc/totp', { interaction, csrf }, [
  field({
    name: 'recovery_code',
    label: 'Recovery code',
    autocomplete: 'off',
    hint: 'It looks like ABCD-EFGH-IJKL-MNOP.',
    error: error ?? undefined,
  }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
<p class="aside"><a href="/oidc/totp?interaction=${interaction}">Use my authenticator app</a></p>`,
  )
}
