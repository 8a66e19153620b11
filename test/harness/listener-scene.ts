import assert from 'node:assert/strict'
import type { Answer } from './answer.ts'
import type { Api, ShownWebhook } from './api-client.ts'
import { answered, type DeliveryScene, type Hook, startDeliveryScene } from './delivery-scene.ts'
import { type Handed, openTestStream, type TestStream } from './listener-stream.ts'
import type { TestApplication } from './token-scene.ts'

/** A listener as the API shows it. */
export type ShownListener = {
  name: string
  secrets: string[]
  waiting: number
  facilityWebhook: ShownWebhook | null
  userWebhook: ShownWebhook | null
}

/** An application at a facility of the sandbox, and its token. */
export type ListeningPlace = { application: TestApplication; facilityId: string; token: string; api: Api }

export type ListenerScene = DeliveryScene & {
  place: () => Promise<ListeningPlace>
  put: (place: Pick<ListeningPlace, 'api'>, name?: string, body?: unknown, status?: number) => Promise<ShownListener>
  stream: (place: Pick<ListeningPlace, 'token'>, name?: string) => Promise<TestStream>
  /** The facility webhook of a listener, as a hook without a receiver. */
  hookOf: (listener: ShownListener) => Hook
}

export async function startListenerScene(): Promise<ListenerScene> {
  const scene = await startDeliveryScene()
  const open = new Set<TestStream>()
  return {
    ...scene,

    async place() {
      const application = await scene.integrator({ apiRatePerSecond: 10_000, apiRateBurst: 10_000 })
      const facilityId = await scene.facility('sandbox', application)
      const token = await scene.appToken(application, 'sandbox')
      return { application, facilityId, token, api: scene.api(token) }
    },

    put: async ({ api }, name = 'laptop', body = {}, status = 201) =>
      listenerIn(await api.raw('PUT', `/sandbox/listeners/${name}`, JSON.stringify(body)), status),

    async stream({ token }, name = 'laptop') {
      const opened = await openTestStream(scene.url, token, name)
      open.add(opened)
      assert.equal(opened.status, 200)
      return opened
    },

    hookOf({ facilityWebhook }) {
      assert.ok(facilityWebhook)
      const { id } = facilityWebhook
      return Object.assign(scene.farm.post({ secrets: [] }), { id, path: `/webhooks/facility/${id}` })
    },

    async stop() {
      for (const stream of open) stream.close()
      await scene.stop()
    },
  }
}

export function listenerIn(answer: Answer, status = 200): ShownListener {
  const { data }: { data: ShownListener } = JSON.parse(answered(answer, status))
  return data
}

/** Reports what came of a delivery that the listener `laptop` was handed. */
export function report(
  { api }: Pick<ListeningPlace, 'api'>,
  { deliveryId, attempt }: Pick<Handed, 'deliveryId' | 'attempt'>,
  more: object = { status: 200 },
): Promise<Answer> {
  return api.post('/sandbox/listeners/laptop/answers', { deliveryId, attempt, durationMs: 12, ...more })
}
