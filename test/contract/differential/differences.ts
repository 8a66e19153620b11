export type Difference = { ours: string[]; theirs: string[]; because: string }

/** Where we answer otherwise than oidc-provider, each with the line of the contract, the decision or the RFC that wants it so. */
export const DIFFERENCES: Record<string, Difference> = {
  'code: by a client for whom the grant is not enabled': {
    ours: ['400 invalid_grant'],
    theirs: ['400 invalid_request'],
    because: 'decision B7: every application may exchange codes; one that never gets any has only wrong ones',
  },
  'redirect_uri: sent to /authorize, left out here': {
    ours: ['400 invalid_grant'],
    theirs: ['200'],
    because: 'contract, POST /oidc/oauth/token: redirect_uri is required here if it was sent to /authorize',
  },
  'redirect_uri: left out at /authorize, another one here': {
    ours: ['200'],
    theirs: ['400 invalid_grant'],
    because: 'contract, POST /oidc/oauth/token: it must be identical only if it was sent to /authorize',
  },
  'PKCE: verifier too short': {
    ours: ['400 invalid_grant'],
    theirs: ['400 invalid_request'],
    because: 'RFC 7636 4.6: a verifier that does not give the challenge is invalid_grant, whatever it looks like',
  },
  'PKCE: verifier with characters that are not allowed': {
    ours: ['400 invalid_grant'],
    theirs: ['400 invalid_request'],
    because: 'RFC 7636 4.6: a verifier that does not give the challenge is invalid_grant, whatever it looks like',
  },
  'refresh: more scope with a used token': {
    ours: ['200', '400 invalid_grant', '400 invalid_grant'],
    theirs: ['200', '400 invalid_scope', '200'],
    because: 'decision B13: reuse ends the family; a thief who also asks for more must not get away with it',
  },
  'client: nobody, and no such grant': {
    ours: ['400 unsupported_grant_type'],
    theirs: ['400 invalid_request'],
    because: 'decision B15: who sends grant_type=code is told the right value, before anything else',
  },
  'client: Basic without a colon': {
    ours: ['401 invalid_client'],
    theirs: ['400 invalid_request'],
    because: 'RFC 6749 5.2: whoever tried the Authorization header gets 401 with a challenge (decision B14)',
  },
  'client: Basic that is not base64': {
    ours: ['401 invalid_client'],
    theirs: ['400 invalid_request'],
    because: 'RFC 6749 5.2: whoever tried the Authorization header gets 401 with a challenge (decision B14)',
  },
  'client: Basic with an empty secret': {
    ours: ['401 invalid_client'],
    theirs: ['400 invalid_request'],
    because: 'decision B14: a missing secret is 401 invalid_client',
  },
  'client: another scheme': {
    ours: ['401 invalid_client'],
    theirs: ['400 invalid_request'],
    because: 'RFC 6749 5.2: whoever tried the Authorization header gets 401 with a challenge (decision B14)',
  },
  'client: secret in the query': {
    ours: ['400 invalid_request'],
    theirs: ['401 invalid_client'],
    because: 'decision B14: a secret in the URL is refused by name, so that the integrator finds the leak',
  },
  'client_credentials: not enabled': {
    ours: ['400 unauthorized_client'],
    theirs: ['400 invalid_request'],
    because: 'contract, Errors: unauthorized_client for an application that is not enabled for it',
  },
  'client_credentials: without a secret': {
    ours: ['400 unauthorized_client'],
    theirs: ['400 invalid_request'],
    because: 'contract, Errors: unauthorized_client for an application that is not enabled for it',
  },
  'client_credentials: no API': {
    ours: ['400 invalid_request'],
    theirs: ['200'],
    because: 'contract, POST /oidc/oauth/token: audience is required for client_credentials (decision B16)',
  },
  'form: a parameter that nobody knows, twice': {
    ours: ['400 invalid_request'],
    theirs: ['400 invalid_grant'],
    because: 'RFC 6749 3.2: no parameter may be sent more than once',
  },
  'form: broken percent-encoding': {
    ours: ['400 invalid_request'],
    theirs: ['400 invalid_grant'],
    because: 'RFC 6749 5.2: a malformed request is invalid_request; we do not guess what was meant',
  },
  'form: bytes that are not UTF-8': {
    ours: ['400 invalid_request'],
    theirs: ['400 invalid_scope'],
    because: 'RFC 6749 appendix B: names and values are UTF-8; we do not guess what was meant',
  },
  'form: NUL': {
    ours: ['400 invalid_request'],
    theirs: ['400 invalid_scope'],
    because: 'RFC 6749 appendix A: no parameter may hold it, so the whole request is malformed',
  },
  'form: JSON instead': {
    ours: ['415 invalid_request'],
    theirs: ['400 invalid_request'],
    because: 'decision B15: 415 when the body is not form-encoded',
  },
  'form: too large': {
    ours: ['413 invalid_request'],
    theirs: ['400 invalid_request'],
    because: 'decision B15: 413 when the body is over 64 KiB',
  },
  'method: GET': {
    ours: ['405 invalid_request'],
    theirs: ['404'],
    because: 'decision B15: 405 with Allow',
  },
  'introspect: token of another': {
    ours: ['200 inactive', '200'],
    theirs: ['200 active', '200'],
    because: "decision B22: introspection answers only for the caller's own tokens",
  },
  'introspect: token of another, without a secret': {
    ours: ['401 invalid_client', '200'],
    theirs: ['200 inactive', '200'],
    because: 'RFC 7662 2.1: introspection is for callers who prove themselves (decision B22)',
  },
  'revoke: token of another': {
    ours: ['200', '200'],
    theirs: ['400 invalid_request', '200'],
    because: 'decision B22: nothing is revoked, and a stranger does not learn that the token exists (RFC 7009 2.2)',
  },
  'userinfo: no token': {
    ours: ['401 unauthorized'],
    theirs: ['401 invalid_token'],
    because: 'RFC 6750 3.1: who sent no token is challenged without an error code',
  },
  'userinfo: the token of a machine': {
    ours: ['403 insufficient_scope'],
    theirs: ['401 invalid_token'],
    because: 'decision B22: an app: token is a good one, but there is no person to tell about',
  },
}
