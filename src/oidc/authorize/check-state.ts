import type { Application } from '../../domain/applications/application.ts'
import type { Form } from '../../http/form.ts'
import { AuthorizeError } from './authorize-error.ts'
import type { ResponseType } from './request.ts'

const LONGEST_STATE = 4_096
const LONGEST_NONCE = 1_024

/** `state` comes back unchanged or not at all (decision B11). */
export function checkState(state: string | null): void {
  if (state === null) return
  if (!returnable(state))
    throw new AuthorizeError('invalid_request', 'state must be at most 4 KB and without control characters.')
}

export function returnable(state: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  return Buffer.byteLength(state) <= LONGEST_STATE && !/[\u0000-\u001f\u007f]/.test(state)
}

/** Required where the contract says so, and with strict_oidc wherever an ID token comes from here (decision B10). */
export function checkNonce(form: Form, application: Application, responseType: ResponseType): string | null {
  const nonce = form.get('nonce')
  const needed = responseType === 'token id_token' || (application.strictOidc && responseType === 'id_token')
  if (nonce === null && needed)
    throw new AuthorizeError('invalid_request', `nonce is required for response_type=${responseType}.`)
  if (nonce !== null && nonce.length > LONGEST_NONCE) throw new AuthorizeError('invalid_request', 'nonce is too long.')
  return nonce
}
