import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiScope, Application } from '../domain/applications/application.ts'
import type { Environment } from '../domain/environment.ts'
import { apiRate, bucketOf, costlyRate } from '../domain/limits/application-rates.ts'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import type { Rate } from '../domain/limits/token-bucket.ts'
import { type Audiences, environmentOf } from '../domain/tokens/audience.ts'
import { stillAllowed } from '../domain/tokens/scope.ts'
import { verifyAccessToken } from '../domain/tokens/verify-access-token.ts'
import { type BearerCheck, bearerToken, checkBearer, insufficientScope, wrongAudience } from '../http/bearer.ts'
import type { Documentation } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { setRateLimitHeaders, tooManyRequests } from '../http/rate-limit.ts'
import { note } from '../http/record-requests.ts'

/** Who calls the API, in which environment. `userId` is empty for a client_credentials token. */
export type ApiCaller = {
  application: Application
  userId: string | null
  environment: Environment
  tokenExpiresAt: Date
  /** Whether they would be let in again: for an answer that goes on for long. Asks nothing of the database. */
  stillMay: () => Promise<boolean>
}

export type CallerCheck = { bearer: BearerCheck; audiences: Audiences; limiter: RateLimiter }

/** Before the body is read: the token, then the rate limit of its application, then whether it may do this. */
export async function admitCaller(
  { bearer, audiences, limiter }: CallerCheck,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Documentation & { rateName?: string },
): Promise<ApiCaller> {
  note(request, { operation: operation.id })
  const jwt = bearerToken(request)
  const { application, userId, token } = await checkBearer(bearer, request, jwt)
  const environment = token.audiences.map((each) => environmentOf(each, audiences)).find((each) => each !== null)
  if (environment === undefined) throw wrongAudience(Object.values(audiences))
  note(request, { environment })
  charge(limiter, bucketOf('api', application.id, environment), apiRate(application), reply)
  if (!application.environments.includes(environment)) throw environmentOff(environment)
  const scope = scopeFor(operation)
  if (!token.scope.includes(scope)) throw insufficientScope(scope, `The access token lacks the scope ${scope}.`)
  if (operation.rateName !== undefined)
    charge(limiter, bucketOf(operation.rateName, application.id, environment), costlyRate(application), reply)
  return {
    application,
    userId,
    environment,
    tokenExpiresAt: new Date(token.expiresAt * 1_000),
    stillMay: () => stillAdmitted(bearer, jwt ?? '', environment, scope),
  }
}

async function stillAdmitted(
  bearer: BearerCheck,
  jwt: string,
  environment: Environment,
  scope: ApiScope,
): Promise<boolean> {
  const verification = await verifyAccessToken(bearer, jwt)
  if (verification.verdict !== 'valid') return false
  const application = await bearer.applications.find(verification.token.clientId)
  if (application === null || application.suspended || !application.environments.includes(environment)) return false
  return stillAllowed(verification.token.scope, application).includes(scope)
}

/** Decision C3. */
export function scopeFor({ method }: Pick<Documentation, 'method'>): ApiScope {
  return method === 'GET' ? 'marketplace:read' : 'marketplace:write'
}

/** The headers tell of what was charged last, which is the tighter limit. */
function charge(limiter: RateLimiter, key: string, rate: Rate, reply: FastifyReply): void {
  const charged = limiter.charge(key, rate)
  setRateLimitHeaders(reply, charged)
  if (!charged.allowed) throw tooManyRequests(charged.retryAfterSeconds)
}

function environmentOff(environment: Environment): Problem {
  return new Problem(
    403,
    'environment_not_allowed',
    'Environment not allowed',
    `This application may not use ${environment} any more. Ask support.`,
  )
}
