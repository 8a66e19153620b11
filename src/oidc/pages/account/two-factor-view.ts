import type { Totp } from '../../../domain/users/totp-store.ts'
import { button, field, form, notice } from '../../../ui/form.ts'
import { html, type Markup } from '../../../ui/html.ts'
import { page } from '../../../ui/layout.ts'
import { day } from '../../../ui/moment.ts'
import { forPasswordManagers } from './password-view.ts'

export function twoFactorPage({ enrolledAt, recoveryCodes }: Totp): Markup {
  return page(
    'Two-factor sign-in',
    html`<p class="crumb"><a href="/oidc/account">Your account</a></p>
<h1>Two-factor sign-in <span class="tag good">on</span></h1>
<p class="lead">Since ${day(enrolledAt)} you are asked for a code from your authenticator app after your password.</p>
<ul class="rows">
<li><div><strong>Recovery codes</strong><p>${recoveryCodes} of them left. New ones replace the old.</p></div>
<a href="/oidc/account/two-factor/recovery-codes">Make new ones</a></li>
<li><div><strong>New phone, or wanted no longer</strong><p>For a new phone, turn it off and on again.</p></div>
<a href="/oidc/account/two-factor/turn-off">Turn off</a></li>
</ul>`,
  )
}

/** What is wrong with a field, or with the attempt as a whole. */
export type ProofFaults = { password?: string; code?: string; page?: string }

export type ProvenView = { what: 'turn-off' | 'recovery-codes'; csrf: string; email: string; faults: ProofFaults }

const WORDS: Record<ProvenView['what'], { title: string; lead: string; action: string }> = {
  'turn-off': {
    title: 'Turn off two-factor sign-in',
    lead: 'Your password alone will be enough to sign in. Your recovery codes stop working.',
    action: 'Turn off',
  },
  'recovery-codes': {
    title: 'New recovery codes',
    lead: 'You get ten new codes. The ones you have stop working.',
    action: 'Make new codes',
  },
}

export function provenPage({ what, csrf, email, faults }: ProvenView): Markup {
  const { title, lead, action } = WORDS[what]
  return page(
    title,
    html`<p class="crumb"><a href="/oidc/account">Your account</a> › <a href="/oidc/account/two-factor">Two-factor sign-in</a></p>
<h1>${title}</h1>
<p class="lead">${lead}</p>
${faults.page !== undefined && notice('error', faults.page)}
${form(`/oidc/account/two-factor/${what}`, { csrf }, [
  forPasswordManagers(email),
  passwordField(faults.password),
  field({
    name: 'code',
    label: 'Code from your app, or a recovery code',
    autocomplete: 'one-time-code',
    error: faults.code,
  }),
  html`<div class="actions">${button(action, { kind: what === 'turn-off' ? 'danger' : 'primary' })}<a class="button quiet" href="/oidc/account/two-factor">Cancel</a></div>`,
])}`,
  )
}

export function passwordField(error: string | undefined): Markup {
  return field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', error })
}

/** The only time that the codes are seen. */
export function recoveryCodesPage(codes: readonly string[], because: 'turned-on' | 'new'): Markup {
  return page(
    'Your recovery codes',
    html`${because === 'turned-on' && notice('done', 'Two-factor sign-in is on.')}
<h1>Keep your recovery codes</h1>
<p class="lead">Each of them signs you in once, together with your password, when your phone is lost or broken.
<strong>They are shown only now.</strong></p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p>Print them or put them into your password manager, not onto the phone with the app.</p>
<div class="actions"><a class="button" href="/oidc/account">I have kept them</a></div>`,
  )
}
