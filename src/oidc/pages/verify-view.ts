import { button, field, form, notice } from '../../ui/form.ts'
import { html, type Markup } from '../../ui/html.ts'
import { page } from '../../ui/layout.ts'
import { mailboxNote } from '../../ui/mailbox-note.ts'

export type VerifyView = {
  interaction: string
  csrf: string
  email: string
  /** Said at the field. */
  fault: string | null
  notice: { kind: 'error' | 'done'; text: string } | null
  mailboxUrl: string | null
}

export function verifyPage({ interaction, csrf, email, fault, notice: said, mailboxUrl }: VerifyView): Markup {
  return page(
    'Check your mail',
    html`<h1>Check your mail</h1>
<p class="lead">We sent a mail to <strong>${email}</strong>. Type the six digits that are in it; they are good for 15 minutes.</p>
${said !== null && notice(said.kind, said.text)}
${mailboxNote(mailboxUrl)}
${form('/oidc/verify', { interaction, csrf }, [
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
<p class="aside">Nothing there? Look among unwanted mail. Is the address wrong? <a href="/oidc/signup?interaction=${interaction}">Start again</a></p>`,
  )
}
