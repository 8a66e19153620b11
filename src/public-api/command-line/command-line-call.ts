import type { FastifyRequest } from 'fastify'
import type { RateLimiter } from '../../domain/limits/rate-limiter.ts'
import type { Issuer } from '../../domain/tokens/access-token.ts'
import type { Audiences } from '../../domain/tokens/audience.ts'
import type { BearerCheck } from '../../http/bearer.ts'
import type { Answer, Call, OperationShape } from '../../http/operation.ts'
import type { Db } from '../../platform/db.ts'

export type CommandLineParts = {
  db: Db
  bearer: BearerCheck
  tokens: Issuer
  audiences: Audiences
  limiter: RateLimiter
}

/** A call of `handover login` and of what comes after it. It is made without an access token, to get one. */
export type CommandLineCall = OperationShape & {
  run: (parts: CommandLineParts, call: Call, request: FastifyRequest) => Promise<Answer>
}
