import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

export function etagOf(body: string | Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

/** RFC 9110 13.1.2: any of several, `*`, and the weak form that a compressing proxy makes of ours. */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, '')) ?? []
  return known.includes(etag) || known.includes('*')
}
