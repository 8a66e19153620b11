/** The codes of RFC 6749 4.1.2.1, OpenID Core 3.1.2.6 and RFC 8707 that go back to the application. */
export type AuthorizeErrorCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_target'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'account_selection_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'

/** What the application is told at its redirect URI, once that is proven to be its own (decision B8). */
export class AuthorizeError extends Error {
  override name = 'AuthorizeError'
  readonly error: AuthorizeErrorCode
  readonly description: string
  /** For the request log, where more may be said than to whoever reads the address bar. */
  readonly reason: string

  constructor(error: AuthorizeErrorCode, description: string, reason = description) {
    super(description)
    this.error = error
    this.description = description
    this.reason = reason
  }
}
