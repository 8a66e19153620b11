import type { FastifyReply, FastifyRequest } from 'fastify'
import { queryOf } from '../../../http/query.ts'

/** What a page says after a form did its work. The address carries the short name, never what was done to what. */
const DONE = {
  profile: 'Your profile is saved.',
  password:
    'Your password is changed. You are signed out everywhere else, and applications have to ask you to sign in again.',
  'two-factor-off': 'Two-factor sign-in is off.',
  application: 'The application has no access any more.',
  session: 'That session is ended.',
  sessions: 'You are signed out everywhere else.',
} as const

export type Done = keyof typeof DONE

export function backDone(reply: FastifyReply, done: Done): FastifyReply {
  return reply.code(303).header('location', `/oidc/account?done=${done}`).send()
}

export function doneText(request: FastifyRequest): string | null {
  const done = new URLSearchParams(queryOf(request)).get('done')
  return Object.entries(DONE).find(([name]) => name === done)?.[1] ?? null
}
