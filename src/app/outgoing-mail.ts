import { type Mailer, smtpMailer } from '../platform/mail.ts'
import type { Config } from './config.ts'
import { createMailbox, type Mailbox } from './mailbox/mailbox.ts'

/** The operator's mail server; in demo mode without one, a mailbox in this process; else there is no mail. */
export type OutgoingMail = { mailer: Mailer | null; mailbox: Mailbox | null }

export function openMail({ mail, demo }: Config): OutgoingMail {
  if (mail !== null) return { mailer: smtpMailer(mail.smtpUrl, mail.from), mailbox: null }
  const mailbox = demo ? createMailbox() : null
  return { mailer: mailbox, mailbox }
}
