import { LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../domain/users/password-rules.ts'
import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { mailboxNote } from '../../ui/mailbox-note.ts'
import { forPasswordManagers, newPasswordField } from '../../ui/password-field.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'

export function resetPage(view: { csrf: string; email: string; fault: string | null; error: string | null }): Markup {
  return portalEntryPage(
    'Forgotten password',
    html`<h1>Forgotten your password?</h1>
<p class="lead">We mail you a link with which you choose a new one.</p>
${view.error !== null && notice('error', view.error)}
${form('/portal/reset', { csrf: view.csrf }, [
  field({
    name: 'email',
    label: 'E-mail',
    type: 'email',
    value: view.email,
    autocomplete: 'username',
    inputmode: 'email',
    maxlength: 254,
    error: view.fault ?? undefined,
  }),
  html`<div class="actions">${button('Send the link')}</div>`,
])}
<p class="aside"><a href="/portal/sign-in">Back to sign in</a></p>`,
  )
}

/** The same for everybody: whether there is an account is told by the mail alone (decision B22). */
export function resetSentPage({ email, mailboxUrl }: { email: string; mailboxUrl: string | null }): Markup {
  return portalEntryPage(
    'Check your mail',
    html`<h1>Check your mail</h1>
<p>If <strong>${email}</strong> belongs to a developer account, a mail with a link is on its way to it. The link works once and for
15 minutes.</p>
${mailboxNote(mailboxUrl)}
<p class="aside">Nothing there? Look among unwanted mail, or <a href="/portal/reset">try again</a>.</p>
<p class="aside"><a href="/portal/sign-in">Back to sign in</a></p>`,
  )
}

export function resetOffPage(): Markup {
  return portalEntryPage(
    'No new password here',
    html`<h1>Passwords cannot be reset here</h1>
<p>This service cannot send mail, so it cannot make sure that it is you. Ask the people who run it for help.</p>
<p class="aside"><a href="/portal/sign-in">Back to sign in</a></p>`,
  )
}

export type NewPasswordView = {
  secret: string
  csrf: string
  email: string
  fault: string | null
  error: string | null
}

export function newPasswordPage({ secret, csrf, email, fault, error }: NewPasswordView): Markup {
  return portalEntryPage(
    'New password',
    html`<h1>Choose a new password</h1>
<p class="lead">for <strong>${email}</strong></p>
${error !== null && notice('error', error)}
${form('/portal/reset/password', { secret, csrf }, [
  forPasswordManagers(email),
  newPasswordField({
    name: 'password',
    label: 'New password',
    shortest: SHORTEST_PASSWORD,
    longest: LONGEST_PASSWORD,
    error: fault ?? undefined,
  }),
  html`<p class="note">You will be signed out everywhere. Passkeys go on working.</p>`,
  html`<div class="actions">${button('Change password')}</div>`,
])}`,
  )
}

export function linkGonePage(): Markup {
  return portalEntryPage(
    'This link no longer works',
    html`<h1>This link no longer works</h1>
<p>It was used already, is older than 15 minutes, or is not complete.</p>
<p class="actions"><a class="button" href="/portal/reset">Send me another link</a></p>`,
  )
}

/** A new password ends what the old one opened, and passkeys are not opened by it: whoever was in may have left one behind. */
export function passwordChangedPage(email: string, passkeys: number): Markup {
  return portalEntryPage(
    'Password changed',
    html`<h1>Your password was changed</h1>
${notice('done', html`Every browser of <strong>${email}</strong> is signed out.`)}
${passkeys > 0 && html`<p class="note">The account has ${passkeys === 1 ? 'a passkey, which goes' : `${passkeys} passkeys, which go`} on working. Once you are in, remove any that you do not know.</p>`}
<p class="actions"><a class="button" href="/portal/sign-in">Sign in with the new password</a></p>`,
  )
}
