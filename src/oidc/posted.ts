import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepPosted, takePosted } from '../domain/sessions/interaction-store.ts'
import { queryOf } from '../http/query.ts'
import type { Db } from '../platform/db.ts'
import { interactionGone } from './authorize/interaction.ts'
import { OAuthError } from './oauth/oauth-error.ts'

/** POST: a cross-site POST brings no Lax cookies, so what it says is kept for the GET it is sent on to (decision B11). */
export function postedEndpoint(db: Db, path: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = typeof request.body === 'string' ? request.body : ''
    // A raw NUL has no place in a form, and PostgreSQL does not keep it.
    if (body.includes('\0')) throw malformedBody()
    const secret = await keepPosted(db, path, body)
    return reply.code(303).header('location', `/oidc${path}?posted=${secret}`).send()
  }
}

/** The parameters as they came: in the URL, or kept from a POST. */
export async function presentedQuery(db: Db, request: FastifyRequest, path: string): Promise<string> {
  const query = queryOf(request)
  const posted = /^posted=([A-Za-z0-9_-]{43})$/.exec(query)?.[1]
  if (posted === undefined) return query
  const body = await takePosted(db, path, posted)
  if (body === null) throw interactionGone()
  return body
}

function malformedBody(): OAuthError {
  return new OAuthError(400, 'invalid_request', 'The request is damaged. Go back to the application and start again.')
}
