import type { FastifyReply } from 'fastify'
import { notice } from '../../ui/form.ts'
import type { Markup } from '../../ui/html.ts'
import { goTo, type Visit } from './visit.ts'

/** What a page says after a form did its work. The address carries the short name, never what was done to what. */
const DONE = {
  invited: 'The invitation is on its way. The link in it works once and for seven days.',
  'sent-again': 'Another invitation is on its way. The link in the one before no longer works.',
  withdrawn: 'The invitation is withdrawn; its link no longer works.',
  role: 'The role is changed.',
  removed: 'The member is removed from the team.',
  left: 'You have left the team.',
  renamed: 'The team has a new name.',
  created: 'The team is made, and you are its owner.',
  joined: 'Welcome to the team.',
  name: 'Your name is saved.',
  password: 'Your password is changed. You are signed out everywhere else.',
  'two-factor-off': 'Two-factor sign-in is off.',
  'passkey-added': 'The passkey is added. Next time, sign in with it.',
  'passkey-renamed': 'The passkey has a new name.',
  'passkey-removed': 'The passkey is removed. Your device may still offer it; here it works no more.',
  session: 'That session is ended.',
  sessions: 'You are signed out everywhere else.',
  settings: 'The settings are saved. They hold everywhere within a second.',
  'made-already': 'This application was made already. Its secret was shown then; if it is lost, make another one.',
  'secret-made-already': 'This secret was made already, and shown then. If it is lost, revoke it and make another one.',
  'secret-revoked': 'The secret is revoked. Within a second it works nowhere any more.',
  'login-allowed': 'The command line is allowed. Go back to your terminal: it goes on there by itself.',
  'login-denied': 'The login is denied. Nothing was allowed to that command line.',
  'key-revoked': 'The login is revoked. Within a second it works nowhere any more.',
  'application-deleted': 'The application is deleted. It can be restored below.',
  'application-restored': 'The application is restored, and works as before.',
  'support-asked': 'Support has your request. Its answer will stand here.',
  'support-withdrawn': 'The request is withdrawn.',
  'webhook-created': 'The webhook is made. Reveal its secret, give it to your receiver, and send a test event.',
  'webhook-saved': 'The webhook is changed; what is sent from now on follows it.',
  'webhook-same': 'Nothing was different, so nothing is changed.',
  'webhook-deleted': 'The webhook is deleted. Nothing is sent to it any more.',
  'webhook-enabled': 'The webhook is enabled, and earlier failures are forgotten.',
  'webhook-disabled': 'The webhook is disabled. What happens meanwhile is held for 30 days.',
  'secret-added': 'Both secrets sign from now on. Give the new one to your receiver, then remove the old one.',
  'secret-removed': 'That secret is removed and signs nothing any more.',
  tested: 'The test event is sent. This is what left, and what came back.',
  'sent-again-now': 'It is sent again, with the same id and the present secrets.',
  'replay-begun': 'The replay runs. What happens now is not held up by it.',
  'replay-cancelled': 'Nothing more is taken up. What was taken up already is sent.',
} as const

export type Done = keyof typeof DONE

export function goDone(reply: FastifyReply, path: string, done: Done): FastifyReply {
  return goTo(reply, `${path}?done=${done}`)
}

export function doneNotice({ query }: Visit): Markup | null {
  const text = Object.entries(DONE).find(([name]) => name === query.get('done'))?.[1]
  return text === undefined ? null : notice('done', text)
}
