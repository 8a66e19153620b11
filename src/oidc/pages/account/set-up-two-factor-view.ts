import { inGroups } from '../../../domain/users/recovery-code.ts'
import { base32, otpauthUri } from '../../../domain/users/totp.ts'
import { button, field, form, notice } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { forPasswordManagers } from './password-view.ts'
import { qrCode } from './qr-code.ts'
import { type ProofFaults, passwordField } from './two-factor-view.ts'

export type SetUpView = { csrf: string; email: string; secret: Uint8Array; sealed: string; faults: ProofFaults }

export function setUpPage({ csrf, email, secret, sealed, faults }: SetUpView): Markup {
  const uri = otpauthUri(email, secret)
  return page(
    'Turn on two-factor sign-in',
    html`<p class="crumb"><a href="/oidc/account">Your account</a></p>
<h1>Turn on two-factor sign-in</h1>
<p class="lead">After your password you will be asked for a code from an authenticator app on your phone. A stolen password
is then not enough to get into your account.</p>
${faults.page !== undefined && notice('error', faults.page)}
<h2>1. Scan this with your authenticator app</h2>
<div class="scan">
${qrCode(uri, 'QR code for your authenticator app')}
<div>
<p>Any app for one-time codes will do, such as Google Authenticator, Microsoft Authenticator or Apple Passwords.</p>
<p><a href="${uri}">Open an app on this device</a></p>
<p>Or type this key:</p>
<p class="key"><code>${inGroups(base32(secret), ' ')}</code></p>
</div>
</div>
<h2>2. Show that it works</h2>
${form('/oidc/account/two-factor/set-up', { csrf, secret: sealed }, [
  forPasswordManagers(email),
  field({
    name: 'code',
    label: 'Six-digit code from the app',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    error: faults.code,
  }),
  passwordField(faults.password),
  html`<div class="actions">${button('Turn on')}<a class="button quiet" href="/oidc/account">Cancel</a></div>`,
])}`,
  )
}
