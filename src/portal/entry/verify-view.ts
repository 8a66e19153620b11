import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { mailboxNote } from '../../ui/mailbox-note.ts'
import { portalEntryPage } from '../../ui/portal-layout.ts'
import { withInvitation } from './invitation.ts'

export type VerifyView = {
  csrf: string
  email: string
  invitation: string | null
  fault: string | null
  notice: { kind: 'error' | 'done'; text: string } | null
  mailboxUrl: string | null
}

export function verifyPage({ csrf, email, invitation, fault, notice: said, mailboxUrl }: VerifyView): Markup {
  return portalEntryPage(
    'Check your mail',
    html`<h1>Check your mail</h1>
<p class="lead">We sent a mail to <strong>${email}</strong>. Type the six digits that are in it; they are good for 15 minutes.</p>
${said !== null && notice(said.kind, said.text)}
${mailboxNote(mailboxUrl)}
${form('/portal/verify', { csrf }, [
  html`<div class="digits">${field({
    name: 'code',
    label: 'Code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    maxlength: 12,
    error: fault ?? undefined,
  })}</div>`,
  html`<div class="actions">${button('Create account')}${button('Send another mail', { name: 'again', value: 'yes', kind: 'quiet' })}</div>`,
])}
<p class="aside">Nothing there? Look among unwanted mail. Is the address wrong? <a href="/portal${withInvitation('/sign-up', invitation)}">Start again</a></p>`,
  )
}
