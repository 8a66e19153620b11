import type { Environment } from '../../src/domain/environment.ts'
import { connectApplication, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import type { Webhook } from '../../src/domain/webhooks/webhook.ts'
import { findWebhook, insertWebhook, type NewWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { addPerson } from './add-person.ts'
import type { Colleague, PortalScene } from './portal-scene.ts'
import { startPortalScene } from './portal-scene.ts'
import { type Farm, startFarm } from './receiver-farm.ts'
import type { WebClient } from './web-client.ts'

/** A team with an application, its facilities in the sandbox, receivers, and a browser of its owner. */
export type WebhookScene = PortalScene & {
  farm: Farm
  ann: Colleague
  browser: WebClient
  teamId: string
  applicationId: string
  facilities: [string, string]
  /** The address of a page of the application's webhooks. */
  page: (path?: string, environment?: Environment) => string
  facility: (name: string, environment?: Environment, applicationId?: string) => Promise<string>
  person: () => Promise<string>
  /** Without the portal: what a test begins with. */
  webhook: (more?: Partial<NewWebhook>) => Promise<string>
  stored: (id: string, environment?: Environment) => Promise<Webhook | null>
  /** What the audit log says of the team since it was made, without secrets of course. */
  logged: () => Promise<Array<{ action: string; before: unknown; after: unknown }>>
  stop: () => Promise<void>
}

export async function startWebhookScene(): Promise<WebhookScene> {
  const scene = await startPortalScene({ HANDOVER_LOG_LEVEL: 'info' })
  const farm = await startFarm()
  const { db, service } = scene
  const ann = await scene.colleague('Ann Lee')
  const teamId = await scene.team('Rota', [[ann, 'owner']])
  const { application: applicationId } = await scene.application(teamId)
  const browser = await scene.signedIn(ann)

  async function facility(name: string, environment: Environment = 'sandbox', connected = applicationId) {
    const id = newId('fac')
    await upsertFacility(db, { environment, id, name, city: null, state: null })
    await connectApplication(db, { environment, id }, connected)
    return id
  }
  const facilities: [string, string] = [await facility('Riverside Clinic'), await facility('Hillcrest Care')]

  return {
    ...scene,
    farm,
    ann,
    browser,
    teamId,
    applicationId,
    facilities,
    facility,
    page: (path = '', environment = 'sandbox') =>
      scene.at(`/teams/${teamId}/applications/${applicationId}/${environment}/webhooks${path}`),

    person: () => addPerson(db, 'FACILITY_USER'),

    async webhook(more = {}) {
      const id = newId('whk')
      const usual = {
        id,
        kind: 'facility' as const,
        environment: 'sandbox' as const,
        applicationId,
        userId: null,
        url: 'https://partner.example/hook',
        events: ['all'],
        facilities,
        secrets: ['a secret of the webhook'],
      }
      await insertWebhook(db, service.deps.cipher, { ...usual, ...more }, 1_000_000)
      return id
    },

    stored: (id, environment = 'sandbox') =>
      findWebhook(db, service.deps.cipher, { applicationId, environment, userId: null }, 'either', id),

    logged: async () => {
      const rows = await db<Array<{ action: string; before: unknown; after: unknown }>>`
        select action, before, after from audit_log where team_id = ${teamId} and application_id is not null order by at, id`
      return [...rows]
    },

    async stop() {
      await farm.close()
      await service.stop()
    },
  }
}
