import type { FastifyReply } from 'fastify'
import { type Inside, Problem } from '../../http/problem.ts'

/** The codes of RFC 6749 5.2, RFC 8707, RFC 6750, and Auth0's for a rate limit, whose shape the contract follows. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'too_many_requests'
  | 'temporarily_unavailable'

/** What an integrator is told. */
export class OAuthError extends Problem {
  override name = 'OAuthError'

  constructor(
    status: number,
    error: OAuthErrorCode,
    description: string,
    more: Inside & { headers?: Record<string, string> } = {},
  ) {
    super(status, error, 'This request cannot be carried out', description, more)
  }
}

/** RFC 6749 5.2. What went wrong before the protocol began (method, media type, size) is an invalid request there. */
export function sendOAuthError(problem: Problem, reply: FastifyReply): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...NEVER_STORED, ...problem.headers })
    .send({ error: codeOf(problem), error_description: problem.detail })
}

/** RFC 6749 5.1: an answer with a token in it, and any error about one, is not to be kept. */
export const NEVER_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' }

export function codeOf(problem: Problem): string {
  if (problem instanceof OAuthError || problem.status === 404 || problem.status === 401 || problem.status === 403)
    return problem.code
  // RFC 6749 4.1.2.1 has the word; the token endpoint has none of its own.
  if (problem.status === 503) return 'temporarily_unavailable'
  return problem.status >= 500 ? 'server_error' : 'invalid_request'
}
