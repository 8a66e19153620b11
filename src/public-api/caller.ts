import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiScope, Application } from '../domain/applications/application.ts'
import type { Environment } from '../domain/environment.ts'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import { type Audiences, environmentOf } from '../domain/tokens/audience.ts'
import { type BearerCheck, bearerToken, checkBearer, insufficientScope, wrongAudience } from '../http/bearer.ts'
import type { Documentation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { setRateLimitHeaders } from '../http/rate-limit.ts'

/** Who calls the API, in which environment. `userId` is empty for a client_credentials token. */
export type ApiCaller = { application: Application; userId: string | null; environment: Environment }

export type CallerCheck = { bearer: BearerCheck; audiences: Audiences; limiter: RateLimiter }

/** Before the body is read: the token, then the rate limit of its application, then whether it may do this. */
export async function admitCaller(
  { bearer, audiences, limiter }: CallerCheck,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Documentation,
): Promise<ApiCaller> {
  const { application, userId, token } = await checkBearer(bearer, bearerToken(request))
  const environment = token.audiences.map((each) => environmentOf(each, audiences)).find((each) => each !== null)
  if (environment === undefined) throw wrongAudience(Object.values(audiences))
  chargeApiRate(limiter, application, environment, reply)
  if (!application.environments.includes(environment)) throw environmentOff(environment)
  const scope = scopeFor(operation)
  if (!token.scope.includes(scope)) throw insufficientScope(scope, `The access token lacks the scope ${scope}.`)
  return { application, userId, environment }
}

/** Decision C3. */
export function scopeFor({ method }: Pick<Documentation, 'method'>): ApiScope {
  return method === 'GET' ? 'marketplace:read' : 'marketplace:write'
}

/** Per application and environment (decision C12): a busy sandbox never slows production down. */
function chargeApiRate(
  limiter: RateLimiter,
  { id, apiRatePerSecond: perSecond, apiRateBurst: burst }: Application,
  environment: Environment,
  reply: FastifyReply,
): void {
  const charge = limiter.charge(`api ${id} ${environment}`, { perSecond, burst })
  setRateLimitHeaders(reply, charge)
  if (charge.allowed) return
  throw new Problem(429, 'too_many_requests', 'Too many requests', 'Slow down, and try again after a pause.', {
    headers: { 'retry-after': String(charge.retryAfterSeconds) },
  })
}

function environmentOff(environment: Environment): Problem {
  return new Problem(
    403,
    'environment_not_allowed',
    'Environment not allowed',
    `This application may not use ${environment} any more. Ask support.`,
  )
}
