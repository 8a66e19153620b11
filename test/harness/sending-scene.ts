import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseConfig } from '../../src/app/config.ts'
import { startDemo } from '../../src/app/demo/start-demo.ts'
import type { Role } from '../../src/app/serve.ts'
import { type DeliveryLoop, startDeliveryLoop } from '../../src/delivery/loop.ts'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { insertWebhook, type NewWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import type { Cipher } from '../../src/platform/cipher.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { createLog } from '../../src/platform/log.ts'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { createSafeAgent, type SafeAgent } from '../../src/platform/safe-request/safe-agent.ts'
import { addPerson } from './add-person.ts'
import { type Answer, postForm, textOf } from './answer.ts'
import { type Api, apiAt } from './api-client.ts'
import { addFacility } from './claiming-scene.ts'
import { readEnvFile } from './handover.ts'
import { type Platform, platformAt } from './platform-scene.ts'
import { type Farm, type Post, type Reply, startFarm } from './receiver-farm.ts'
import { createTestDatabase } from './test-database.ts'
import { SANDBOX } from './token-scene.ts'

/** A webhook, and the receiver that it is for. */
export type Subscriber = Post & { webhookId: string }

export type SubscriberSettings = Partial<NewWebhook> & { reply?: Reply; perSecond?: number; atOnce?: number }

/** The service with one application at one sandbox facility, receivers, and workers wherever a test wants them. */
export type SendingScene = {
  url: string
  db: Db
  databaseUrl: string
  cipher: Cipher
  dataFolder: string
  logged: string[]
  /** What demo mode wrote for newcomers. */
  demo: Record<string, string>
  farm: Farm
  application: { id: string; secret: string }
  facilityId: string
  platform: Platform
  person: () => Promise<string>
  /** Another facility that the application is connected to. */
  facility: () => Promise<string>
  /** A facility webhook of the application for all events, with a receiver of its own, unless told otherwise. */
  subscriber: (settings?: SubscriberSettings) => Promise<Subscriber>
  /** The public API with a token of the application. */
  api: () => Promise<Api>
  /** So many `shift.created` at the facility, or these events. Answers their ids. */
  publish: (events: number | Array<Record<string, unknown>>) => Promise<string[]>
  event: (more?: Record<string, unknown>) => Record<string, unknown>
  /** A worker in this process. */
  loop: (parts?: { totalMs?: number; agent?: SafeAgent; db?: Db }) => DeliveryLoop
  stop: () => Promise<void>
}

/** With role `web` nothing is sent until a test starts a worker. */
export async function startSendingScene(role: Role = 'all'): Promise<SendingScene> {
  const database = await createTestDatabase()
  const dataFolder = await mkdtemp(join(tmpdir(), 'handover-sending-'))
  const logged: string[] = []
  const config = parseConfig({
    HANDOVER_DEMO: '1',
    DATABASE_URL: database.url,
    HANDOVER_DATA_DIR: dataFolder,
    HANDOVER_LOG_LEVEL: 'info',
    PORT: '0',
    METRICS_PORT: '0',
    RECEIVER_PORT: '0',
  })
  const log = createLog('info', { write: (line) => void logged.push(line) })
  const running = await startDemo(config, { role, log, say: () => {} })
  const url = running.addresses.authUrl
  const demo = await readEnvFile(join(dataFolder, 'demo.env'))
  const { db } = database
  const { cipher } = running.deps
  const farm = await startFarm()
  const loops: DeliveryLoop[] = []

  const application = { id: newId('app'), secret: newOpaqueSecret() }
  await insertApplication(
    db,
    newApplication({ id: application.id, name: 'Sending', type: 'web', clientCredentials: true }),
  )
  await insertApplicationSecret(db, application.id, 'test', application.secret)
  const facilityId = await addFacility(db, application.id)

  const scene: SendingScene = {
    url,
    db,
    databaseUrl: database.url,
    cipher,
    dataFolder,
    logged,
    demo,
    farm,
    application,
    facilityId,
    platform: platformAt(url, demo['PLATFORM_KEY'] ?? ''),

    person: () => addPerson(db, 'NURSE_USER'),

    facility: () => addFacility(db, application.id),

    async subscriber({ reply, perSecond, atOnce, ...settings } = {}) {
      const secrets = settings.secrets ?? ['a secret']
      const post = farm.post({ secrets, ...(reply && { reply }) })
      const id = newId('whk')
      const made = await insertWebhook(
        db,
        cipher,
        {
          id,
          kind: 'facility',
          environment: 'sandbox',
          applicationId: application.id,
          userId: null,
          url: post.url,
          events: ['all'],
          facilities: [facilityId],
          secrets,
          ...settings,
        },
        1_000_000,
      )
      assert.ok(made)
      if (perSecond !== undefined || atOnce !== undefined)
        await db`
          update webhook_schedules set per_second = ${perSecond ?? 50}, at_once = ${atOnce ?? 10}
          where webhook_id = ${id}`
      return Object.assign(post, { webhookId: id })
    },

    async api() {
      const token = await postForm(`${url}/oidc/oauth/token`, {
        grant_type: 'client_credentials',
        client_id: application.id,
        client_secret: application.secret,
        audience: SANDBOX,
      })
      return apiAt(url, textOf(token, 'access_token'))
    },

    event: (more = {}) => ({
      environment: 'sandbox',
      type: 'shift.created',
      facilityId,
      data: { shiftId: randomBytes(4).toString('hex') },
      ...more,
    }),

    async publish(events) {
      const all = typeof events === 'number' ? Array.from({ length: events }, () => scene.event()) : events
      const ids: string[] = []
      for (let at = 0; at < all.length; at += BATCH)
        ids.push(...acceptedIds(await scene.platform.post('/events', all.slice(at, at + BATCH))))
      return ids
    },

    loop({ totalMs = 15_000, agent = createSafeAgent({ loopbackAllowed: true }), db: through = db } = {}) {
      const loop = startDeliveryLoop({
        db: through,
        audiences: config.audiences,
        cipher,
        sender: { agent, totalMs },
        observe: () => {},
        failed: (what, error) => void logged.push(`${what}: ${String(error)}`),
      })
      loops.push(loop)
      return loop
    },

    async stop() {
      // Before the workers, so that they have nothing to wait for.
      await farm.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await running.stop()
      await database.drop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
  return scene
}

const BATCH = 500

function acceptedIds(answer: Answer): string[] {
  assert.equal(answer.status, 202, answer.text)
  const { data } = answer.body
  assert.ok(Array.isArray(data), answer.text)
  return data.map((each: { id: string }) => each.id)
}
