import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from './etag.ts'

/** A public document that anyone may keep for a while, on any origin, and ask about by its ETag. */
export function sendCachedJson(
  request: FastifyRequest,
  reply: FastifyReply,
  document: object,
  maxAgeSeconds: number,
): FastifyReply {
  const body = JSON.stringify(document)
  const etag = etagOf(body)
  reply.headers({
    etag,
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (isKnown(request, etag)) return reply.code(304).send()
  return reply.type('application/json').send(body)
}
