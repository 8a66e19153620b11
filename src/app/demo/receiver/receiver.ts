import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type FastifyBaseLogger, fastify, LogController } from 'fastify'
import { answerError, hangDoor } from '../../../http/door.ts'
import { answerLoopbackOnly } from '../../../http/loopback-only.ts'
import { requestId } from '../../../http/request-id.ts'
import { securityHeaders } from '../../../http/security-headers.ts'
import type { Deps } from '../../deps.ts'
import type { Listener } from '../../listener.ts'
import { checkWebhook } from './check-webhook.ts'
import { createReceivedList } from './received.ts'
import { receiverDoor } from './receiver-door.ts'

const PUBLIC_FOLDER = fileURLToPath(new URL('../../../../public', import.meta.url))
const CHECKED_BY = new URL('./verify-signature.ts', import.meta.url)

/** The data of an event is at most 128 KiB (decision C12). */
const BODY_LIMIT_BYTES = 256 * 1024

export function receiverUrl({ port }: Listener): string {
  return `http://localhost:${port}`
}

/**
 * Somebody else's server in small, so that a newcomer sees webhooks arrive within a minute (decision A4). On loopback and in
 * demo mode only: it knows the secrets of every webhook that points to it.
 */
export async function answerAsReceiver(listener: Listener, { db, cipher, log }: Deps): Promise<void> {
  const door = receiverDoor({
    url: receiverUrl(listener),
    list: createReceivedList(),
    checkedBy: await readFile(CHECKED_BY, 'utf8'),
    publicFolder: PUBLIC_FOLDER,
    check: (arrival) => checkWebhook(db, cipher, listener.port, arrival),
  })
  const setSecurityHeaders = securityHeaders({ https: false })
  const logger: FastifyBaseLogger = log
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestId,
    requestIdHeader: false,
    childLoggerFactory: (parent) => parent,
    frameworkErrors: (error, request, reply) => {
      setSecurityHeaders(request, reply)
      answerError(error, request, reply, door.answer)
    },
  })
  app.decorateRequest('door', 'none')
  app.addHook('onRequest', (request, reply, done) => {
    setSecurityHeaders(request, reply)
    done()
  })
  answerLoopbackOnly(app)
  hangDoor(app, door)
  await app.ready()
  listener.answer((request, response) => app.routing(request, response))
}
