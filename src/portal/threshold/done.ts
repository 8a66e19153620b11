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
  session: 'That session is ended.',
  sessions: 'You are signed out everywhere else.',
} as const

export type Done = keyof typeof DONE

export function goDone(reply: FastifyReply, path: string, done: Done): FastifyReply {
  return goTo(reply, `${path}?done=${done}`)
}

export function doneNotice({ query }: Visit): Markup | null {
  const text = Object.entries(DONE).find(([name]) => name === query.get('done'))?.[1]
  return text === undefined ? null : notice('done', text)
}
