import type { FastifyReply } from 'fastify'
import type { Charge } from '../domain/limits/token-bucket.ts'

export function setRateLimitHeaders(reply: FastifyReply, { limit, remaining, resetAt }: Charge): void {
  reply.headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  })
}
