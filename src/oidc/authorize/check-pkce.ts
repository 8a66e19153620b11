import type { Application } from '../../domain/applications/application.ts'
import type { Form } from '../../http/form.ts'
import { AuthorizeError } from './authorize-error.ts'
import type { ResponseType } from './request.ts'

/** RFC 7636 4.3, S256 only; an application that keeps no secret must use it (decision B9). */
export function checkPkce(form: Form, application: Application, responseType: ResponseType): string | null {
  if (responseType !== 'code') return null
  const challenge = form.get('code_challenge')
  const method = form.get('code_challenge_method')
  if (challenge === null) {
    if (method !== null)
      throw new AuthorizeError('invalid_request', 'code_challenge_method came without code_challenge.')
    if (application.tokenEndpointAuthentication === 'none') {
      throw new AuthorizeError('invalid_request', 'This application must use PKCE: send code_challenge with S256.')
    }
    return null
  }
  if (method !== 'S256')
    throw new AuthorizeError('invalid_request', 'code_challenge_method must be S256; plain is not supported.')
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new AuthorizeError('invalid_request', 'code_challenge must be the base64url of a SHA-256: 43 characters.')
  }
  return challenge
}
