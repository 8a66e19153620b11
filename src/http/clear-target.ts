import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

/** A name or an address, and perhaps a port. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * Who is asked must be said once and clearly: two Host headers, or another host in the request line than in the header, let
 * whoever stands in front of us and ourselves see two different requests (RFC 9112 3.2).
 */
export function requireClearTarget(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _, done) => (isClear(raw) ? done() : done(unclear())))
}

function isClear({ rawHeaders, headers, url = '' }: IncomingMessage): boolean {
  let hosts = 0
  for (let position = 0; position < rawHeaders.length; position += 2) {
    const name = rawHeaders[position]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  const host = headers.host ?? ''
  // HTTP/1.0 knows no Host.
  return hosts <= 1 && (hosts === 0 || HOST.test(host)) && isClearPath(url, host)
}

function unclear(): Problem {
  return new Problem(400, 'malformed_request', 'Malformed request', 'The request does not say clearly whom it asks.')
}

function isClearPath(target: string, host: string): boolean {
  if (target.startsWith('/')) return true
  const origin = /^https?:\/\/([^/?#]*)/i.exec(target)
  return origin !== null && origin[1]?.toLowerCase() === host.toLowerCase()
}
