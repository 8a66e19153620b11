import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { originIsRegistered } from '../domain/applications/application-store.ts'
import type { Db } from '../platform/db.ts'

/**
 * Decision B24: a page may call these endpoints from an origin that an application registered. A preflight does not say
 * which application it is for, so any one's will do; nothing here goes by cookies, so an origin alone opens nothing.
 */
export function allowRegisteredOrigins(app: FastifyInstance, db: Db, paths: readonly string[]): void {
  const urls = new Set(paths)
  const check = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin !== undefined && isOrigin(origin) && (await originIsRegistered(db, origin)))
      allow(request, reply, origin)
  }
  // Of these routes alone, and behind their gate: the question goes to the database.
  app.addHook('onRoute', (route) => {
    if (urls.has(route.url.slice(app.prefix.length))) route.onRequest = [...[route.onRequest ?? []].flat(), check]
  })
  for (const url of paths) app.options(url, (_, reply) => reply.code(204).send())
}

function allow(request: FastifyRequest, reply: FastifyReply, origin: string): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'retry-after, www-authenticate, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id',
  })
  if (request.method !== 'OPTIONS') return
  reply.headers({
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '600',
  })
}

/** `null` (a sandboxed page) and anything else that is not an origin is nobody's. */
function isOrigin(text: string): boolean {
  return text.length <= 300 && URL.canParse(text) && new URL(text).origin === text
}
