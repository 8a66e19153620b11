import type { FastifyReply } from 'fastify'
import type { Charge } from '../domain/limits/token-bucket.ts'
import { Problem } from './problem.ts'

export function setRateLimitHeaders(reply: FastifyReply, { limit, remaining, resetAt }: Charge): void {
  reply.headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  })
}

/** Decision C12: over a limit, whichever it is, and when there is room again. */
export function tooManyRequests(retryAfterSeconds: number): Problem {
  return new Problem(429, 'too_many_requests', 'Too many requests', 'Slow down, and try again after a pause.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })
}
