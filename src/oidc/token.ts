import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import { environmentOf } from '../domain/tokens/audience.ts'
import { note } from '../http/record-requests.ts'
import { authorizationCode } from './grants/authorization-code.ts'
import { clientCredentials } from './grants/client-credentials.ts'
import type { Grant, GrantTools, Issued } from './grants/grant.ts'
import { password } from './grants/password.ts'
import { refreshToken } from './grants/refresh-token.ts'
import { authenticateClient, type ClientAuth } from './oauth/client-auth.ts'
import { formBody, required } from './oauth/form-body.ts'
import { NEVER_STORED, OAuthError } from './oauth/oauth-error.ts'
import { chargeTokenRate } from './token-rate.ts'

const GRANTS = new Map<string, Grant>([
  ['authorization_code', authorizationCode],
  ['password', password],
  ['refresh_token', refreshToken],
  ['client_credentials', clientCredentials],
])

export const GRANT_TYPES: readonly string[] = [...GRANTS.keys()]

export type TokenEndpoint = { clientAuth: ClientAuth; limiter: RateLimiter; tools: GrantTools }

/** POST /oidc/oauth/token: every grant goes through the same phases, in this order. */
export function tokenEndpoint({ clientAuth, limiter, tools }: TokenEndpoint) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // 1. The form: well-formed, nothing twice, no secret in the URL.
    const form = formBody(request)
    // 2. The grant that it names.
    const grantType = required(form, 'grant_type')
    const grant = grantNamed(grantType)
    note(request, { operation: grantType, environment: environmentOf(form.get('audience'), tools.audiences) })
    // 3. The application, proven.
    const client = await authenticateClient(clientAuth, request, form)
    // 4. Its rate limit, which only the application itself can use up.
    chargeTokenRate(limiter, client, reply)
    // 5. Whether it may use this grant.
    if (!grant.allowed(client.application)) throw notAllowed(grantType)
    // 6. The grant itself.
    const issued = await grant.run(tools, client, form)
    note(request, { environment: environmentOf(issued.accessToken.audience, tools.audiences) })
    // 7. The reply.
    return reply.headers(TOKEN_HEADERS).send(tokenResponse(issued))
  }
}

function grantNamed(grantType: string): Grant {
  const grant = GRANTS.get(grantType)
  if (grant !== undefined) return grant
  const meant =
    grantType === 'code'
      ? 'For an authorization code the value is authorization_code.'
      : `Supported are ${GRANT_TYPES.join(', ')}.`
  throw new OAuthError(400, 'unsupported_grant_type', `This grant_type is not supported. ${meant}`)
}

/** The contract (Errors): the text says that the grant type is not allowed for the client. */
function notAllowed(grantType: string): OAuthError {
  return new OAuthError(
    400,
    'unauthorized_client',
    `Grant type '${grantType}' is not allowed for the client. Ask support to enable it for this application.`,
  )
}

/** Written out here, so that the busiest answer of all skips the framework's search for a serializer. */
const TOKEN_HEADERS = { ...NEVER_STORED, 'content-type': 'application/json; charset=utf-8' }

function tokenResponse({ accessToken, idToken, refreshToken: renewal }: Issued): string {
  return JSON.stringify({
    access_token: accessToken.token,
    ...(idToken !== null && { id_token: idToken }),
    ...(renewal !== null && { refresh_token: renewal }),
    token_type: 'Bearer',
    expires_in: accessToken.expiresIn,
    scope: accessToken.scope.join(' '),
  })
}
