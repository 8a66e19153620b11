import type { FastifyRequest } from 'fastify'
import { decode, type Form, parseForm } from '../../http/form.ts'
import { OAuthError } from './oauth-error.ts'

/** Who an application says it is, and how it means to prove it; nothing is checked yet. */
export type PresentedClient =
  | { method: 'none'; clientId: string }
  | { method: 'post' | 'basic'; clientId: string; secret: string }

/** RFC 6749 2.3: one method at most. Basic with an equal client_id in the body is one method (decision B14). */
export function presentedClient(request: FastifyRequest, form: Form): PresentedClient {
  const clientId = form.get('client_id')
  const secret = form.get('client_secret')
  const { authorization } = request.headers
  if (authorization !== undefined) {
    if (secret !== null) throw twoMethods('client_secret in the body and an Authorization header')
    const basic = basicCredentials(authorization)
    if (clientId !== null && clientId !== basic.clientId) throw twoMethods('two different client ids')
    return { method: 'basic', ...basic }
  }
  if (clientId === null) throw new OAuthError(400, 'invalid_request', 'The parameter client_id is required.')
  return secret === null ? { method: 'none', clientId } : { method: 'post', clientId, secret }
}

/** Whom a request names that was refused before anything of it counted, for the request log. */
export function claimedClientId({ body, headers: { authorization } }: FastifyRequest): string | null {
  const read = typeof body === 'string' ? parseForm(body) : null
  const inBody = read?.kind === 'form' ? read.form.get('client_id') : null
  return inBody ?? decode(halvesOf(authorization ?? '')[0])
}

/** Both halves are form-encoded before they are joined (RFC 6749 2.3.1). */
function basicCredentials(authorization: string): { clientId: string; secret: string } {
  const [clientId, secret] = halvesOf(authorization).map(decode)
  if (!clientId || !secret)
    throw authenticationFailed('basic', 'The Authorization header is not HTTP Basic with two halves.')
  return { clientId, secret }
}

function halvesOf(authorization: string): [clientId: string, secret: string] {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1]
  const joined = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  const colon = joined.indexOf(':')
  return [joined.slice(0, Math.max(0, colon)), joined.slice(colon + 1)]
}

/** The same for an unknown application, a wrong secret, none at all and the wrong method: strangers learn nothing. */
export function authenticationFailed(method: PresentedClient['method'], reason: string): OAuthError {
  return new OAuthError(401, 'invalid_client', 'Client authentication failed.', {
    reason,
    ...(method === 'basic' ? { headers: { 'www-authenticate': 'Basic realm="handover", charset="UTF-8"' } } : {}),
  })
}

function twoMethods(what: string): OAuthError {
  return new OAuthError(400, 'invalid_request', `Authenticate in one way only: the request has ${what}.`)
}
