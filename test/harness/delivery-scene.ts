import assert from 'node:assert/strict'
import { holdSchedule } from '../../src/domain/deliveries/schedule-store.ts'
import type { Environment } from '../../src/domain/environment.ts'
import { retriedTransaction } from '../../src/platform/retried-transaction.ts'
import type { Answer } from './answer.ts'
import { type Api, webhookIn } from './api-client.ts'
import { type ApiScene, startApiScene } from './api-scene.ts'
import { type Platform, platformAt } from './platform-scene.ts'
import { type Farm, type Post, type Reply, startFarm } from './receiver-farm.ts'
import { PATIENCE_MS, soon } from './soon.ts'

/** A webhook that was made through the API, with the receiver it is for. */
export type Hook = Post & { id: string; path: string }

export type HookSettings = { reply?: Reply; kind?: 'facility' | 'user'; events?: string[]; facilities?: string[] }

/** The API with receivers, a worker that sends to them, and the marketplace's back end. */
export type DeliveryScene = ApiScene & {
  farm: Farm
  platform: Record<Environment, Platform>
  hook: (api: Api, settings?: HookSettings) => Promise<Hook>
  /** So many shifts are created at the facility; answers the ids of the events. */
  happen: (environment: Environment, facilityId: string, count?: number, more?: object) => Promise<string[]>
  /** What was tried and waits for the webhook is on its last attempt, which is now. */
  lastAttempt: (webhookId: string) => Promise<void>
  stop: () => Promise<void>
}

export async function startDeliveryScene(): Promise<DeliveryScene> {
  const scene = await startApiScene({ HANDOVER_LOG_LEVEL: 'warn' })
  const farm = await startFarm()
  const { PLATFORM_KEY: sandbox = '', PLATFORM_KEY_PROD: production = '' } = scene.service.demo
  const platform = { sandbox: platformAt(scene.url, sandbox), production: platformAt(scene.url, production) }
  return {
    ...scene,
    farm,
    platform,

    async hook(api, { reply, kind = 'facility', events = ['all'], facilities } = {}) {
      const secrets = ['a secret of the webhook']
      const post = farm.post({ secrets, ...(reply && { reply }) })
      const body = { url: post.url, events, secrets, ...(facilities && { facilities }) }
      const { id } = webhookIn(await api.post(`/webhooks/${kind}`, body), 201)
      return Object.assign(post, { id, path: `/webhooks/${kind}/${id}` })
    },

    async happen(environment, facilityId, count = 1, more = {}) {
      const events = Array.from({ length: count }, (_, shift) => ({
        environment,
        type: 'shift.created',
        facilityId,
        data: { shift },
        ...more,
      }))
      const answer = await platform[environment].post('/events', events)
      assert.equal(answer.status, 202, answer.text)
      const { data } = answer.body
      assert.ok(Array.isArray(data))
      return data.map((each: { id: string }) => each.id)
    },

    async lastAttempt(webhookId) {
      const wasTried = async () => {
        const rows = await scene.db`
          select 1 from deliveries where webhook_id = ${webhookId} and (attempts = 0 or leased_until is not null)`
        return rows.length === 0
      }
      assert.ok(await soon(wasTried, PATIENCE_MS))
      await retriedTransaction(scene.db, async (tx) => {
        await holdSchedule(tx, webhookId)
        await tx`update deliveries set tries = 9, due_at = now() where webhook_id = ${webhookId}`
        // However many failed, the circuit stays closed.
        await tx`
          update webhook_schedules set due_at = now(), consecutive_failures = 0, probe_at = null
          where webhook_id = ${webhookId}`
      })
    },

    async stop() {
      await farm.close()
      await scene.service.stop()
    },
  }
}

/** A delivery as the API shows it. */
export type ShownDelivery = {
  id: string
  eventId: string
  type: string
  facilityId?: string
  userId?: string
  state: string
  reason: string | null
  attempts: number
  createdAt: string
  nextAttemptAt: string | null
  finishedAt: string | null
}

export type ShownAttempt = {
  number: number
  startedAt: string
  url: string
  status: number | null
  error: string | null
  message: string | null
  durationMs: number
  responseHead: string | null
  responseBody: string | null
  manual: boolean
}

/** The text of an answer that must have this status; the fields are for the test to check. */
export function answered(answer: Answer, status = 200): string {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  return answer.text
}

export function deliveryIn(answer: Answer, status = 200): ShownDelivery {
  const { data }: { data: ShownDelivery } = JSON.parse(answered(answer, status))
  return data
}

export async function deliveriesOf(api: Api, { path }: Hook, query = ''): Promise<ShownDelivery[]> {
  const { data }: { data: ShownDelivery[] } = JSON.parse(answered(await api.get(`${path}/deliveries${query}`)))
  return data
}

export async function attemptsOf(api: Api, { path }: Hook, deliveryId: string): Promise<ShownAttempt[]> {
  const answer = await api.get(`${path}/deliveries/${deliveryId}/attempts`)
  const { data }: { data: ShownAttempt[] } = JSON.parse(answered(answer))
  return data
}

/** Waits until the webhook's deliveries, newest first, are in these states. */
export async function statesBecome(api: Api, hook: Hook, states: string[]): Promise<ShownDelivery[]> {
  let last: ShownDelivery[] = []
  const isSo = async () => {
    last = await deliveriesOf(api, hook, '?limit=100')
    return JSON.stringify(last.map(({ state }) => state)) === JSON.stringify(states)
  }
  assert.ok(await soon(isSo, PATIENCE_MS), JSON.stringify(last))
  return last
}

/** Waits until so many requests have come to the receiver, and no more. */
export async function arrivalsBecome({ arrivals }: Post, count: number): Promise<void> {
  await soon(async () => arrivals.length >= count, PATIENCE_MS)
  assert.equal(arrivals.length, count)
}

/** Waits until an attempt with this number is there; answers it. */
export async function attemptCame(api: Api, hook: Hook, deliveryId: string, number: number): Promise<ShownAttempt> {
  let found: ShownAttempt | undefined
  const isSo = async () => {
    found = (await attemptsOf(api, hook, deliveryId)).find((each) => each.number === number)
    return found !== undefined
  }
  assert.ok(await soon(isSo, PATIENCE_MS), `attempt ${number} did not come`)
  assert.ok(found)
  return found
}

/** The only one. */
export function only<Item>(items: readonly Item[]): Item {
  const [item, ...others] = items
  assert.ok(item !== undefined && others.length === 0, JSON.stringify(items))
  return item
}
