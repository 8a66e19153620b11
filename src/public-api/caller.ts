import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiScope, Application } from '../domain/applications/application.ts'
import type { Environment } from '../domain/environment.ts'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import type { Rate } from '../domain/limits/token-bucket.ts'
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
  operation: Documentation & { rateName?: string },
): Promise<ApiCaller> {
  const { application, userId, token } = await checkBearer(bearer, bearerToken(request))
  const environment = token.audiences.map((each) => environmentOf(each, audiences)).find((each) => each !== null)
  if (environment === undefined) throw wrongAudience(Object.values(audiences))
  charge(limiter, `api ${application.id} ${environment}`, apiRate(application), reply)
  if (!application.environments.includes(environment)) throw environmentOff(environment)
  const scope = scopeFor(operation)
  if (!token.scope.includes(scope)) throw insufficientScope(scope, `The access token lacks the scope ${scope}.`)
  if (operation.rateName !== undefined)
    charge(limiter, `${operation.rateName} ${application.id} ${environment}`, ownRate(application), reply)
  return { application, userId, environment }
}

/** Decision C3. */
export function scopeFor({ method }: Pick<Documentation, 'method'>): ApiScope {
  return method === 'GET' ? 'marketplace:read' : 'marketplace:write'
}

/** Per application and environment (decision C12): a busy sandbox never slows production down. */
function apiRate({ apiRatePerSecond: perSecond, apiRateBurst: burst }: Application): Rate {
  return { perSecond, burst }
}

/** 5 a second and 20 at once (decision C11), unless support changed what the application may do at all. */
function ownRate({ apiRatePerSecond, apiRateBurst }: Application): Rate {
  return { perSecond: apiRatePerSecond / 10, burst: Math.max(1, Math.floor(apiRateBurst / 5)) }
}

/** The headers tell of what was charged last, which is the tighter limit. */
function charge(limiter: RateLimiter, key: string, rate: Rate, reply: FastifyReply): void {
  const charged = limiter.charge(key, rate)
  setRateLimitHeaders(reply, charged)
  if (charged.allowed) return
  throw new Problem(429, 'too_many_requests', 'Too many requests', 'Slow down, and try again after a pause.', {
    headers: { 'retry-after': String(charged.retryAfterSeconds) },
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
