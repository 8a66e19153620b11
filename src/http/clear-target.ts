import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

/** A name or an address, and perhaps a port. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Who is asked must be said once and clearly: two Host headers, or another host in the request line than in the header, let
 * whoever stands in front of us and ourselves see two different requests (RFC 9112 3.2).
 */
export function requireClearTarget(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, position) => position % 2 === 0 && name.toLowerCase() === 'host').length
    const host = raw.headers.host ?? ''
    // HTTP/1.0 knows no Host.
    if (hosts > 1 || (hosts === 1 && !HOST.test(host)) || !isClearPath(raw.url ?? '', host)) {
      throw new Problem(400, 'malformed_request', 'Malformed request', 'The request does not say clearly whom it asks.')
    }
  })
}

function isClearPath(target: string, host: string): boolean {
  if (target.startsWith('/')) return true
  const origin = /^https?:\/\/([^/?#]*)/i.exec(target)
  return origin !== null && origin[1]?.toLowerCase() === host.toLowerCase()
}
