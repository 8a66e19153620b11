import { button, field, form, notice } from './form.ts'
import { html, type Markup } from './html.ts'
import { currentPasswordField, forPasswordManagers } from './password-field.ts'
import { qrCode } from './qr-code.ts'

// What setting up two-factor sign-in looks like, wherever an account lives. `at` is the address of its pages there.

/** What is wrong with a field, or with the attempt as a whole. */
export type ProofFaults = { password?: string; code?: string; page?: string }

export type SetUpContent = {
  at: string
  account: string
  csrf: string
  email: string
  uri: string
  qr: { size: number; dark: string }
  /** The secret as people type it. */
  key: string
  /** The secret as the form carries it. */
  sealed: string
  faults: ProofFaults
}

export function setUpContent({ at, account, csrf, email, uri, qr, key, sealed, faults }: SetUpContent): Markup {
  return html`<h1>Turn on two-factor sign-in</h1>
<p class="lead">After your password you will be asked for a code from an authenticator app on your phone. A stolen password
is then not enough to get into your account.</p>
${faults.page !== undefined && notice('error', faults.page)}
<h2>1. Scan this with your authenticator app</h2>
<div class="scan">
${qrCode(qr, 'QR code for your authenticator app')}
<div>
<p>Any app for one-time codes will do, such as Google Authenticator, Microsoft Authenticator or Apple Passwords.</p>
<p><a href="${uri}">Open an app on this device</a></p>
<p>Or type this key:</p>
<p class="key"><code>${key}</code></p>
</div>
</div>
<h2>2. Show that it works</h2>
${form(`${at}/set-up`, { csrf, secret: sealed }, [
  forPasswordManagers(email),
  field({
    name: 'code',
    label: 'Six-digit code from the app',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    error: faults.code,
  }),
  currentPasswordField(faults.password),
  html`<div class="actions">${button('Turn on')}<a class="button quiet" href="${account}">Cancel</a></div>`,
])}`
}

export type ProvenAction = 'turn-off' | 'recovery-codes'
export type ProvenContent = {
  at: string
  what: ProvenAction
  csrf: string
  email: string
  /** How many there are: turning off codes does not touch them. */
  passkeys?: number
  faults: ProofFaults
}

const WORDS: Record<ProvenAction, { title: string; lead: string; action: string }> = {
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

export function provenTitle(what: ProvenAction): string {
  return WORDS[what].title
}

export function provenContent({ at, what, csrf, email, passkeys = 0, faults }: ProvenContent): Markup {
  const { title, lead, action } = WORDS[what]
  return html`<h1>${title}</h1>
<p class="lead">${lead}${what === 'turn-off' && passkeys > 0 && ' Passkeys go on working as before.'}</p>
${faults.page !== undefined && notice('error', faults.page)}
${form(`${at}/${what}`, { csrf }, [
  forPasswordManagers(email),
  currentPasswordField(faults.password),
  field({
    name: 'code',
    label: 'Code from your app, or a recovery code',
    autocomplete: 'one-time-code',
    error: faults.code,
  }),
  html`<div class="actions">${button(action, { kind: what === 'turn-off' ? 'danger' : 'primary' })}<a class="button quiet" href="${at}">Cancel</a></div>`,
])}`
}

export function twoFactorOnContent(at: string, since: Markup, recoveryCodes: number, passkeys = 0): Markup {
  return html`<h1>Two-factor sign-in <span class="tag good">on</span></h1>
<p class="lead">Since ${since} you are asked for a code from your authenticator app after your password.${passkeys > 0 && ' A passkey needs no code: it counts as both.'}</p>
<ul class="rows">
<li><div><strong>Recovery codes</strong><p>${recoveryCodes} of them left. New ones replace the old.</p></div>
<a href="${at}/recovery-codes">Make new ones</a></li>
<li><div><strong>New phone, or wanted no longer</strong><p>For a new phone, turn it off and on again.</p></div>
<a href="${at}/turn-off">Turn off</a></li>
</ul>`
}

/** The only time that the codes are seen. */
export function recoveryCodesContent(codes: readonly string[], because: 'turned-on' | 'new', account: string): Markup {
  return html`${because === 'turned-on' && notice('done', 'Two-factor sign-in is on.')}
<h1>Keep your recovery codes</h1>
<p class="lead">Each of them signs you in once, together with your password, when your phone is lost or broken.
<strong>They are shown only now.</strong></p>
<ol class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ol>
<p>Print them or put them into your password manager, not onto the phone with the app.</p>
<div class="actions"><a class="button" href="${account}">I have kept them</a></div>`
}

/** Below this many the page says that new ones should be made. */
const FEW_CODES = 3

export function codesLeft(recoveryCodes: number): string {
  const left = recoveryCodes === 1 ? '1 recovery code left' : `${recoveryCodes} recovery codes left`
  return recoveryCodes > FEW_CODES ? `${left}.` : `${left}. It is time to make new ones.`
}

/** The step between a right password and the session. `keep` travels along with the form. */
export type CodeContent = {
  action: string
  keep: Record<string, string>
  links: { app: string; recovery: string; signIn: string }
  error: string | null
}

export function totpContent({ action, keep, links, error }: CodeContent): Markup {
  return html`<h1>Enter your code</h1>
<p class="lead">Your password was right. Now open your authenticator app and type the six digits it shows for
<strong>Handover</strong>.</p>
${form(action, keep, [
  field({
    name: 'code',
    label: 'Six-digit code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    error: error ?? undefined,
  }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
<p class="aside">No phone at hand? <a href="${links.recovery}">Use a recovery code</a></p>
<p class="aside"><a href="${links.signIn}">Sign in as somebody else</a></p>`
}

export function recoveryContent({ action, keep, links, error }: CodeContent): Markup {
  return html`<h1>Use a recovery code</h1>
<p class="lead">One of the ten codes you kept when you turned on two-factor sign-in. Each works once.</p>
${form(action, keep, [
  field({
    name: 'recovery_code',
    label: 'Recovery code',
    autocomplete: 'off',
    hint: 'It looks like ABCD-EFGH-IJKL-MNOP.',
    error: error ?? undefined,
  }),
  html`<div class="actions">${button('Sign in')}</div>`,
])}
<p class="aside"><a href="${links.app}">Use my authenticator app</a></p>`
}

export const WRONG_CODE = 'That code is not right, or it was used already. Wait for the next one and try again.'
export const WRONG_RECOVERY_CODE = 'That recovery code is not right, or it was used already.'
export const TOO_MANY_CODES = 'Too many wrong codes. Wait a quarter of an hour and try again.'
