import { html, type Markup } from './html.ts'

/** In demo mode no mail leaves this machine. */
export function mailboxNote(mailboxUrl: string | null): Markup | null {
  return mailboxUrl === null
    ? null
    : html`<p class="note">Demo mode: mails arrive in <a href="${mailboxUrl}" target="_blank">the demo mailbox</a>.</p>`
}
