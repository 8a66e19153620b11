import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { etagOf, isKnown } from './etag.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** The few files of `public/`, read once and served from memory; nothing outside that list can be asked for. */
export function servePublicFiles(app: FastifyInstance, folder: string): void {
  for (const name of readdirSync(folder)) {
    const body = readFileSync(join(folder, name))
    const etag = etagOf(body)
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    app.get(`/public/${name}`, (request, reply) => {
      reply.headers({ etag, 'cache-control': 'public, max-age=300', 'content-type': type })
      return isKnown(request, etag) ? reply.code(304).send() : reply.send(body)
    })
  }
}
