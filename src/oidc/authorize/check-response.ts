import type { Application } from '../../domain/applications/application.ts'
import type { Form } from '../../http/form.ts'
import type { ResponseMode } from '../response-modes/response-mode.ts'
import { AuthorizeError } from './authorize-error.ts'
import type { ResponseType } from './request.ts'

const TYPES = new Map<string, ResponseType>([
  ['code', 'code'],
  ['token', 'token'],
  ['id_token', 'id_token'],
  ['token id_token', 'token id_token'],
  ['id_token token', 'token id_token'],
])

export function checkResponseType(form: Form, application: Application): ResponseType {
  const asked = form.get('response_type')
  if (asked === null) throw new AuthorizeError('invalid_request', 'The parameter response_type is required.')
  const type = TYPES.get(asked)
  if (type === undefined) {
    throw new AuthorizeError('unsupported_response_type', 'Supported are code, token, id_token and "token id_token".')
  }
  if (type !== 'code' && !application.implicit) {
    throw new AuthorizeError(
      'unauthorized_client',
      'The implicit flow is off for this application. Use code with PKCE.',
    )
  }
  return type
}

/**
 * Where errors go before the response type is known to be good: tokens were asked for or not, and tokens never travel in a
 * query (contract, response_mode; decision B10).
 */
export function defaultMode(form: Form, application: Application): ResponseMode {
  if (!/token/.test(form.get('response_type') ?? '')) return 'query'
  return application.strictOidc ? 'fragment' : 'form_post'
}

export function checkResponseMode(form: Form, application: Application): ResponseMode {
  const fallback = defaultMode(form, application)
  const asked = form.get('response_mode')
  if (asked === null) return fallback
  const allowed: ResponseMode[] = fallback === 'query' ? ['query', 'fragment', 'form_post'] : ['form_post', 'fragment']
  const mode = allowed.find((each) => each === asked)
  if (mode === undefined)
    throw new AuthorizeError('invalid_request', `response_mode must be ${allowed.join(' or ')} here.`)
  return mode
}
