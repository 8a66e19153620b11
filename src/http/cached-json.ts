import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A public document that anyone may keep for a while, on any origin, and ask about by its ETag. */
export function sendCachedJson(
  request: FastifyRequest,
  reply: FastifyReply,
  document: object,
  maxAgeSeconds: number,
): FastifyReply {
  const body = JSON.stringify(document)
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  reply.headers({
    etag,
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type('application/json').send(body)
}
