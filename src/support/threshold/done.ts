import type { FastifyReply } from 'fastify'
import { notice } from '../../ui/form.ts'
import type { Markup } from '../../ui/html.ts'
import { goTo, type Visit } from './visit.ts'

/** What a page says after a form did its work. The address carries the short name, never what was done to what. */
const DONE = {
  approved: 'The request is approved, and the setting holds from now on. Whoever asked is told by mail.',
  denied: 'The request is denied. Whoever asked is told by mail.',
  set: 'The setting is changed; it holds everywhere within a second.',
  suspended: 'The application is suspended: it gets no tokens and no deliveries.',
  unsuspended: 'The application is no longer suspended.',
  password: 'Your password is changed. You are signed out everywhere else.',
  'two-factor-off': 'Two-factor sign-in is off.',
  session: 'That session is ended.',
  sessions: 'You are signed out everywhere else.',
  'sessions-ended': 'All sessions are ended.',
  withdrawn: 'The application’s access is withdrawn; its tokens are refused within a second.',
  unlocked: 'Failed attempts are forgotten: signing in is possible again.',
  'new-password': 'The password works no more and everything it opened is ended. A mail with a link is on its way.',
  'new-password-no-mail': 'The password works no more and everything it opened is ended. No mail can be sent.',
  'factor-removed': 'The second factor is removed. Its owner is told by mail.',
  'passkeys-removed': 'All passkeys are removed.',
  nothing: 'There was nothing to do any more.',
  enabled: 'The webhook is enabled.',
  disabled: 'The webhook is disabled: no request of it begins any more.',
  resent: 'The delivery is sent again now; its attempt appears below in a moment.',
  rotated: 'New signing keys are made.',
  'rotated-already': 'The next keys wait already, so none were made.',
} as const

export type Done = keyof typeof DONE

export function goDone(reply: FastifyReply, path: string, done: Done): FastifyReply {
  return goTo(reply, `${path}?done=${done}`)
}

export function doneNotice({ query }: Visit): Markup | null {
  const text = Object.entries(DONE).find(([name]) => name === query.get('done'))?.[1]
  return text === undefined ? null : notice('done', text)
}
