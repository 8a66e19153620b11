import { newApplication } from '../../../domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../../domain/applications/application-store.ts'
import { giveToTeam } from '../../../domain/applications/application-team-store.ts'
import { appendAudit } from '../../../domain/audit/audit-store.ts'
import {
  datePastWebhook,
  ensurePastDays,
  insertPastDeliveries,
  insertPastReplay,
} from '../../../domain/deliveries/past-store.ts'
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import { connectApplication } from '../../../domain/facilities/facility-store.ts'
import { writeRequests } from '../../../domain/requests/request-log-store.ts'
import { stateOf } from '../../../domain/team-webhooks/team-webhook.ts'
import { newWebhookSecret } from '../../../domain/webhooks/webhook-secret.ts'
import { insertWebhook } from '../../../domain/webhooks/webhook-store.ts'
import type { Cipher } from '../../../platform/cipher.ts'
import type { DbOrTransaction } from '../../../platform/db.ts'
import { newOpaqueSecret } from '../../../platform/opaque-secret.ts'
import type { Deps } from '../../deps.ts'
import { type DemoValues, demoId } from '../demo-values.ts'
import { pastRequests } from './past-requests.ts'
import { type PastWebhook, pastWebhooks } from './past-webhooks.ts'
import { deliveryOf } from './told.ts'

/** Later than those of the other applications, so that it stands above them. */
const LAST = new Date(Date.UTC(2026, 0, 2))
const DOING = { kind: 'command', id: null, name: 'handover demo' } as const
/** Nobody else's webhooks listen to it: what newcomers make happen at the others stays theirs. */
const FACILITY = 'lakeview'

export function rosterId(cipher: Cipher): string {
  return demoId(cipher, 'app', 'roster', LAST)
}

/**
 * An application with five days behind it, so that no page is empty: deliveries in every state, attempts of every kind, a request log.
 * All of it or nothing, once: when the application is there, or was and is deleted, nothing is added.
 */
export async function seedPast({ db, cipher, clock }: Deps, values: DemoValues): Promise<void> {
  const teamId = demoId(cipher, 'tem', 'demo')
  const id = rosterId(cipher)
  const application = newApplication({ id, name: 'Demo roster, with a past', type: 'machine', clientCredentials: true })
  const now = clock()
  await db.begin(async (tx) => {
    if (!(await insertApplication(tx, application))) return
    await insertApplicationSecret(tx, id, 'roster', newOpaqueSecret())
    await giveToTeam(tx, teamId, [id])
    await note(tx, teamId, id, 'application.created', { application: application.name, type: application.type })
    for (const environment of ENVIRONMENTS)
      await connectApplication(tx, { environment, id: facilityIn(environment) }, id)
    await ensurePastDays(tx)
    const scene = {
      now,
      facilityOf: { production: facilityIn('production'), sandbox: facilityIn('sandbox') },
      otherFacility: values.SANDBOX_FACILITY,
      personId: demoId(cipher, 'usr', 'nurse'),
    }
    for (const webhook of pastWebhooks(scene)) await seedWebhook(tx, cipher, { teamId, id, values }, webhook)
    const callers = {
      roster: id,
      notEnabled: values.OFF_CLIENT_ID,
      web: values.WEB_CLIENT_ID,
      spa: values.SPA_CLIENT_ID,
      redirectUri: values.WEB_REDIRECT_URI,
    }
    await writeRequests(tx, pastRequests(now, callers, idsFrom(cipher, 'requests')))
  })
}

async function seedWebhook(
  tx: DbOrTransaction,
  cipher: Cipher,
  { teamId, id: applicationId, values }: { teamId: string; id: string; values: DemoValues },
  { kind, environment, path, events, standing, told, replay }: PastWebhook,
): Promise<void> {
  const url = values.RECEIVER_URL + path
  const id = demoId(cipher, 'whk', `${environment} ${path}`, standing.createdAt)
  const facilities = kind === 'facility' ? [facilityIn(environment)] : []
  const secrets = [newWebhookSecret()]
  const owner = { applicationId, environment, userId: null }
  const webhook = await insertWebhook(tx, cipher, { ...owner, id, kind, url, events, facilities, secrets }, 100)
  if (webhook === null) return
  const newId = idsFrom(cipher, `${environment} ${path}`)
  const deliveries = told.map((each) => deliveryOf(each, { id, url, environment }, newId))
  await insertPastDeliveries(tx, environment, deliveries)
  if (replay !== undefined) await insertPastReplay(tx, { ...replay, id: newId('rpl', replay.at), webhookId: id })
  await datePastWebhook(tx, id, standing)
  await note(tx, teamId, applicationId, 'webhook.created', { webhook: id, environment, ...stateOf(webhook) })
}

/** The log tells who made it and when, as it was: the demo's own command, just now. */
async function note(
  tx: DbOrTransaction,
  teamId: string,
  applicationId: string,
  action: 'application.created' | 'webhook.created',
  after: Record<string, string>,
): Promise<void> {
  await appendAudit(tx, { actor: DOING, action, teamId, applicationId, before: null, after, requestId: null })
}

function idsFrom(cipher: Cipher, name: string): (prefix: string, madeAt: Date) => string {
  let count = 0
  return (prefix, madeAt) => {
    count += 1
    return demoId(cipher, prefix, `past ${name} ${count}`, madeAt)
  }
}

function facilityIn(environment: Environment): string {
  return environment === 'production' ? `fac_${FACILITY}` : `fac_sandbox_${FACILITY}`
}
