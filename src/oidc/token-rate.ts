import type { FastifyReply } from 'fastify'
import type { RateLimiter } from '../domain/limits/rate-limiter.ts'
import { setRateLimitHeaders } from '../http/rate-limit.ts'
import type { AuthenticatedClient } from './oauth/client-auth.ts'
import { OAuthError } from './oauth/oauth-error.ts'

/**
 * Token exchanges are limited per application (contract, Limits; decision B17), after it has proven itself: nobody without
 * the secret uses up anything. An application without a secret is limited per address, or any stranger could stop it.
 */
export function chargeTokenRate(
  limiter: RateLimiter,
  { application, confidential, address }: AuthenticatedClient,
  reply: FastifyReply,
): void {
  const key = confidential ? `token ${application.id}` : `token ${application.id} ${address}`
  const charge = limiter.charge(key, { perSecond: application.ratePerSecond, burst: application.rateBurst })
  setRateLimitHeaders(reply, charge)
  if (charge.allowed) return
  throw new OAuthError(
    429,
    'too_many_requests',
    'Too many token requests. Keep tokens until they expire, and try again later.',
    {
      headers: { 'retry-after': String(charge.retryAfterSeconds) },
    },
  )
}
