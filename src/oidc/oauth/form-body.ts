import type { FastifyRequest } from 'fastify'
import { type Form, parseForm } from '../../http/form.ts'
import { queryOf } from '../../http/query.ts'
import { OAuthError } from './oauth-error.ts'

/** The form in the body of a POST to one of the OAuth endpoints. */
export function formBody(request: FastifyRequest): Form {
  refuseSecretInQuery(request)
  const outcome = parseForm(typeof request.body === 'string' ? request.body : '')
  if (outcome.kind === 'malformed') {
    throw new OAuthError(400, 'invalid_request', 'The body is not valid application/x-www-form-urlencoded in UTF-8.')
  }
  const [repeated] = outcome.repeated
  if (repeated !== undefined) {
    throw new OAuthError(400, 'invalid_request', `The parameter ${printable(repeated)} was sent more than once.`)
  }
  return outcome.form
}

/** URLs end up in logs of proxies and in histories: a secret there is refused, even if it is right (decision B14). */
function refuseSecretInQuery(request: FastifyRequest): void {
  const query = queryOf(request)
  if (query !== '' && new URLSearchParams(query).has('client_secret')) {
    throw new OAuthError(400, 'invalid_request', 'Send client_secret in the body or by HTTP Basic, never in the URL.')
  }
}

export function required(form: Form, name: string): string {
  const value = form.get(name)
  if (value === null) throw new OAuthError(400, 'invalid_request', `The parameter ${name} is required.`)
  return value
}

function printable(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? `"${name}"` : 'with an unusual name'
}
