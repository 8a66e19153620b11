import type { Mail, Mailer } from '../../platform/mail.ts'

export type KeptMail = Mail & { sentAt: Date }

/** Where mails go in demo mode: nowhere but to a page of this process. */
export type Mailbox = Mailer & { newestFirst: () => KeptMail[] }

const MOST_KEPT = 100

export function createMailbox(): Mailbox {
  const kept: KeptMail[] = []
  return {
    send: async (mail) => {
      kept.unshift({ ...mail, sentAt: new Date() })
      kept.splice(MOST_KEPT)
    },
    newestFirst: () => [...kept],
  }
}
