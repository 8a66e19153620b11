import type { FastifyRequest } from 'fastify'
import { findInteraction, type Interaction } from '../../domain/sessions/interaction-store.ts'
import type { Browser } from '../../http/browser.ts'
import type { Form } from '../../http/form.ts'
import { Problem } from '../../http/problem.ts'
import { queryOf } from '../../http/query.ts'
import type { Db } from '../../platform/db.ts'
import { type AuthorizeReader, readAuthorizeRequest } from './read-request.ts'
import type { AuthorizeRequest } from './request.ts'

/** The interaction in the URL, or in the form that was posted, if it is this browser's. */
export async function requireInteraction(
  db: Db,
  request: FastifyRequest,
  browser: Browser,
  form?: Form,
): Promise<Interaction> {
  const secret = form ? form.get('interaction') : new URLSearchParams(queryOf(request)).get('interaction')
  const interaction = secret === null ? null : await findInteraction(db, secret, browser.id)
  if (interaction === null) throw interactionGone()
  return interaction
}

/** The request that an interaction waits for, and null when it is only about the person's own page. */
export async function requestOf(
  reader: AuthorizeReader,
  { authorizeQuery }: Interaction,
): Promise<AuthorizeRequest | null> {
  if (authorizeQuery === null) return null
  const read = await readAuthorizeRequest(reader, authorizeQuery)
  return read.kind === 'request' ? read.request : null
}

export function interactionGone(): Problem {
  return new Problem(
    400,
    'interaction_expired',
    'Please start again',
    'This page was opened in another browser, was used already, or waited too long. Go back to the application and start again.',
  )
}
