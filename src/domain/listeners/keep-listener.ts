import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { Application } from '../applications/application.ts'
import { enableWebhook } from '../deliveries/switch-webhook.ts'
import { visibleFacilities } from '../facilities/visible-facility-store.ts'
import { registerWebhook } from '../webhooks/register-webhook.ts'
import type { Webhook, WebhookKind } from '../webhooks/webhook.ts'
import { newWebhookSecret } from '../webhooks/webhook-secret.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhook-store.ts'
import { eventsFor, type Listener, type ListenerPlace } from './listener.ts'
import { holdListener, insertListener } from './listener-store.ts'

export type Kept =
  | { outcome: 'made' | 'kept'; listener: Listener }
  | { outcome: 'too-many-listeners' }
  | { outcome: 'too-many-webhooks'; limit: number }

type Wish = {
  application: Pick<Application, 'id' | 'webhooksPerPerson' | 'webhooksPerApplication'>
  name: string
  /** Of either kind; none means all. */
  events: readonly string[]
  url: string
}

/**
 * Makes a listener, or brings it up to date: the events that are asked for now, the facilities that are connected now, enabled.
 * Its secret stays, so whoever verifies has to be told once. To be undone as a whole unless it is made or kept.
 */
export async function keepListener(tx: DbOrTransaction, cipher: Cipher, wish: Wish): Promise<Kept> {
  const place: ListenerPlace = { applicationId: wish.application.id, name: wish.name }
  const inserted = await insertListener(tx, place)
  if (inserted === null) return { outcome: 'too-many-listeners' }
  const before = await holdListener(tx, cipher, place)
  if (before === null) throw new Error('A listener that is held is gone')
  const secrets = (before.facilityWebhook ?? before.userWebhook)?.secrets ?? [newWebhookSecret()]
  const owner = { applicationId: place.applicationId, environment: 'sandbox' as const, userId: null }

  const keep = async (kind: WebhookKind, held: Webhook | null) => {
    const events = eventsFor(kind, wish.events)
    if (events.length === 0) {
      if (held !== null) await deleteWebhook(tx, held.id)
      return null
    }
    const facilities = kind === 'facility' ? await visibleFacilities(tx, owner) : []
    const fields = { url: wish.url, events, facilities, secrets }
    if (held === null)
      return registerWebhook(tx, cipher, wish.application, { ...owner, kind, ...fields, listener: wish.name })
    const enabled = await enableWebhook(tx, held, 'send')
    const webhook = isSame(enabled, fields) ? enabled : await changeWebhook(tx, cipher, enabled, fields)
    return { outcome: 'registered' as const, webhook }
  }
  const facility = await keep('facility', before.facilityWebhook)
  if (facility?.outcome === 'limit-reached') return { outcome: 'too-many-webhooks', limit: facility.limit }
  const user = await keep('user', before.userWebhook)
  if (user?.outcome === 'limit-reached') return { outcome: 'too-many-webhooks', limit: user.limit }
  return {
    outcome: inserted === 'made' ? 'made' : 'kept',
    listener: { ...before, facilityWebhook: facility?.webhook ?? null, userWebhook: user?.webhook ?? null },
  }
}

function isSame(webhook: Webhook, fields: Pick<Webhook, 'url' | 'events' | 'facilities' | 'secrets'>): boolean {
  const of = ({ url, events, facilities, secrets }: typeof fields) =>
    JSON.stringify([url, events.toSorted(), facilities.toSorted(), secrets])
  return of(webhook) === of(fields)
}
