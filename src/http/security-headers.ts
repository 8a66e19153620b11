import type { FastifyReply, FastifyRequest } from 'fastify'

/** What an answer that is not a page may do in a browser: nothing. Pages set a policy of their own. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"

export function securityHeaders(options: { https: boolean }): (request: FastifyRequest, reply: FastifyReply) => void {
  const headers = headersOfEveryAnswer(options)
  return (request, reply) => void reply.headers(headers).header('x-request-id', request.id)
}

/** What every answer carries, whoever gives it; and the id of its request. */
export function headersOfEveryAnswer(options: { https: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': NOTHING,
    'cache-control': 'no-store',
    ...(options.https && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}
