import type { FastifyRequest } from 'fastify'

/** The query as it came. Only the first question mark begins it; any other belongs to a value (RFC 3986 3.4). */
export function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}
