import { fastify } from 'fastify'
import { type DbOrTransaction, openDatabase } from '../../../src/platform/db.ts'
import { transaction } from '../../../src/platform/transaction.ts'
import { answerMessages } from '../../servers/listen.ts'
import type { NewEvent } from '../publish.ts'
import { PLATFORM_KEY } from '../scene.ts'
import { keyOf, signedPost } from '../signed-post.ts'
import { type Attempt, type DeliveryJob, readTargets, recordAttempts, storeEvents } from './pipeline-store.ts'

/** Webhooks are read again as often as ours promises to notice a change. */
const TARGETS_FOR_MS = 1_000

const EVENT = {
  type: 'object',
  required: ['id', 'type', 'facilityId', 'data'],
  properties: {
    id: { type: 'string', maxLength: 64 },
    type: { type: 'string' },
    facilityId: { type: 'string' },
    data: { type: 'object' },
  },
}
const BODY = { anyOf: [{ type: 'array', items: EVENT, maxItems: 500 }, EVENT] }

export type Enqueue = (tx: DbOrTransaction, jobs: DeliveryJob[]) => Promise<void>

export const databaseUrl = process.env['DATABASE_URL'] ?? ''

const db = openDatabase({ url: databaseUrl }, { prepare: true, poolSize: 10 })
let targets = await readTargets(db)
setInterval(() => void readTargets(db).then((read) => (targets = read)), TARGETS_FOR_MS)

/** Signs and posts. What happened is a value: both queues decide for themselves what becomes of a failure. */
export async function attempt({ eventId, webhookId, body }: DeliveryJob): Promise<Attempt> {
  const started = performance.now()
  const target = targets.get(webhookId)
  const status =
    target === undefined ? 410 : await signedPost(target.url, eventId, body, keyOf(target.secret)).catch(() => 0)
  return { eventId, webhookId, status, durationMs: Math.round(performance.now() - started) }
}

export function record(attempts: readonly Attempt[]): Promise<void> {
  return recordAttempts(db, attempts)
}

export function isDelivered({ status }: Attempt): boolean {
  return status >= 200 && status <= 299
}

/** Intake as a user would write it: the events and one job for each webhook in one transaction, 202 after its commit. */
export async function takeEventsIn(enqueue: Enqueue): Promise<void> {
  const app = fastify({ bodyLimit: 8 * 2 ** 20 })
  app.post<{ Body: NewEvent | NewEvent[] }>(
    '/platform/v1/events',
    { schema: { body: BODY } },
    async (request, reply) => {
      if (request.headers.authorization !== `Bearer ${PLATFORM_KEY}`) return reply.code(401).send()
      const events = Array.isArray(request.body) ? request.body : [request.body]
      const bodies = new Map(events.map((event) => [event.id, bodyOf(event)]))
      await transaction(db, async (tx) => {
        const matches = await storeEvents(tx, events)
        await enqueue(
          tx,
          matches.map(({ event_id: eventId, webhook_id: webhookId }) => ({
            eventId,
            webhookId,
            body: bodies.get(eventId) ?? '',
          })),
        )
      })
      return reply.code(202).send({ data: events.map(({ id }) => ({ id })) })
    },
  )
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  answerMessages(Number(new URL(address).port), async () => null)
}

function bodyOf({ id, type, environment, facilityId, data }: NewEvent): string {
  const timestamp = new Date().toISOString()
  return JSON.stringify({ id, type, timestamp, environment, apiVersion: 'v2', facilityId, data })
}
