import { button, field, form, notice } from './form.ts'
import { html, type Markup } from './html.ts'
import { mailboxNote } from './mailbox-note.ts'

/** The page that asks for the six digits in a mail, wherever somebody signs up. `keep` travels along with the form. */
export type VerifyContent = {
  action: string
  keep: Record<string, string>
  startAgain: string
  email: string
  /** Said at the field. */
  fault: string | null
  notice: { kind: 'error' | 'done'; text: string } | null
  mailboxUrl: string | null
}

export function verifyContent({
  action,
  keep,
  startAgain,
  email,
  fault,
  notice: said,
  mailboxUrl,
}: VerifyContent): Markup {
  return html`<h1>Check your mail</h1>
<p class="lead">We sent a mail to <strong>${email}</strong>. Type the six digits that are in it; they are good for 15 minutes.</p>
${said !== null && notice(said.kind, said.text)}
${mailboxNote(mailboxUrl)}
${form(action, keep, [
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
<p class="aside">Nothing there? Look among unwanted mail. Is the address wrong? <a href="${startAgain}">Start again</a></p>`
}
