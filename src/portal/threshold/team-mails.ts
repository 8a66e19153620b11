import type { Mail } from '../../platform/mail.ts'

/** Names that people gave themselves and their team are not in it: they would carry anybody's words to anybody's mailbox. */
export function invitationMail(to: string, inviter: string, link: string): Mail {
  return {
    to,
    subject: 'You are invited to a team on the Handover developer portal',
    text: `Hello,

${inviter} invites you to work with their team on the Handover developer portal. See which team it is, and join it, here:

${link}

The link works once and for seven days, for this e-mail address only.
If you do not know who that is, do nothing.

Handover
`,
  }
}
