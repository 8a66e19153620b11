import type { FastifyInstance } from 'fastify'
import type { LiveKey } from '../domain/platform-keys/platform-key-store.ts'
import type { Audiences } from '../domain/tokens/audience.ts'
import { sendCachedJson } from '../http/cached-json.ts'
import type { Door } from '../http/door.ts'
import { takeJsonOnly } from '../http/json-body.ts'
import { hangOperation } from '../http/operation.ts'
import { sendProblem } from '../http/problem.ts'
import type { Afterwards } from '../platform/afterwards.ts'
import type { Bell } from '../platform/bell.ts'
import type { Db } from '../platform/db.ts'
import { keyCheck } from './key-check.ts'
import { PREFIX, platformApiDocument } from './openapi.ts'
import { OPERATIONS } from './operations.ts'

export type PlatformApiParts = { db: Db; afterwards: Afterwards; audiences: Audiences; bell: Bell }

declare module 'fastify' {
  interface FastifyRequest {
    /** The platform key that a request came with; set before the body is read. */
    platformKey: LiveKey | null
  }
}

/** Batches are large, and only the marketplace sends them (decision C12). */
const BODY_LIMIT_BYTES = 8 * 1024 * 1024
const DOCUMENT_MAX_AGE_SECONDS = 300

/** What the marketplace's own back end calls with a platform key. */
export function platformApiDoor({ baseUrl }: { baseUrl: string }, parts: PlatformApiParts): Door {
  return {
    name: 'platform-api',
    prefix: PREFIX,
    routes: (app) => routes(app, parts, platformApiDocument(baseUrl)),
    takes: { type: 'application/json', most: '8 MiB' },
    answer: (problem, request, reply) =>
      sendProblem(baseUrl, problem, request, reply.header('cache-control', 'no-store')),
  }
}

function routes(app: FastifyInstance, parts: PlatformApiParts, document: object): void {
  takeJsonOnly(app, BODY_LIMIT_BYTES)
  app.decorateRequest('platformKey', null)
  app.get('/openapi.json', (request, reply) => sendCachedJson(request, reply, document, DOCUMENT_MAX_AGE_SECONDS))
  const check = keyCheck(parts)
  for (const operation of OPERATIONS) {
    hangOperation(app, operation, {
      admit: async (request) => {
        request.platformKey = await check(request)
      },
      answer: (call, { platformKey: key }) => {
        if (key === null) throw new Error('An operation was reached without a key')
        return operation.run({ ...call, db: parts.db, audiences: parts.audiences, bell: parts.bell, key })
      },
    })
  }
}
