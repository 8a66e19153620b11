import { SIGNING_ALGORITHMS } from '../domain/keys/signing-key.ts'
import { SUPPORTED_SCOPES } from '../domain/tokens/scope.ts'
import { GRANT_TYPES } from './token.ts'

/** Where each endpoint is, under the issuer. */
export const PATHS = {
  discovery: '/.well-known/openid-configuration',
  jwks: '/.well-known/jwks.json',
  authorize: '/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  introspect: '/oauth/introspect',
  userinfo: '/userinfo',
  logout: '/logout',
} as const

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post']

/** OpenID Connect Discovery 3 and RFC 8414 2: what works, and nothing that does not. */
export function discoveryDocument(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorize,
    token_endpoint: issuer + PATHS.token,
    jwks_uri: issuer + PATHS.jwks,
    userinfo_endpoint: issuer + PATHS.userinfo,
    revocation_endpoint: issuer + PATHS.revoke,
    introspection_endpoint: issuer + PATHS.introspect,
    scopes_supported: SUPPORTED_SCOPES,
    end_session_endpoint: issuer + PATHS.logout,
    response_types_supported: ['code', 'token', 'id_token', 'id_token token'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    grant_types_supported: [...GRANT_TYPES, 'implicit'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: SIGNING_ALGORITHMS,
    token_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
    revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
    introspection_endpoint_auth_methods_supported: SECRET_METHODS,
    code_challenge_methods_supported: ['S256'],
    claim_types_supported: ['normal'],
    claims_supported: CLAIMS,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

const CLAIMS = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'sid',
  'name',
  'nickname',
  'picture',
  'email',
  'email_verified',
  'phone_number',
  'phone_number_verified',
  'role',
  'address',
]
