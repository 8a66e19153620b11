import { randomUUID } from 'node:crypto'
import { listAttempts } from '../../src/domain/deliveries/attempt-list-store.ts'
import { type Claim, claimDeliveries } from '../../src/domain/deliveries/claim-store.ts'
import { findDelivery, listDeliveries } from '../../src/domain/deliveries/delivery-list-store.ts'
import { searchDeliveries } from '../../src/domain/deliveries/delivery-search-store.ts'
import { acceptEvents } from '../../src/domain/deliveries/event-store.ts'
import { verdictOf } from '../../src/domain/deliveries/retry-schedule.ts'
import { settleDeliveries } from '../../src/domain/deliveries/settle-store.ts'
import { readHealth } from '../../src/domain/deliveries/webhook-health-store.ts'
import { standingsOf } from '../../src/domain/deliveries/webhook-standing-store.ts'
import { invisibleFacilities } from '../../src/domain/facilities/visible-facility-store.ts'
import { registerWebhook } from '../../src/domain/webhooks/register-webhook.ts'
import { listForApplication } from '../../src/domain/webhooks/webhook-list-store.ts'
import type { Db } from '../../src/platform/db.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { ABOUT_PEOPLE, AUDIENCES, deliveryIdOf, idOf, PER_FACILITY } from './numbered.ts'
import type { Scene } from './scene.ts'
import { found, type Touch } from './touch.ts'

const PAGE = { before: null, limit: 20 }
const EVERYTHING = { state: null, type: null, subjectId: null, eventId: null, from: null, to: null }

/** What touches webhooks and deliveries. */
export const DELIVERY_TOUCHES: Touch[] = [
  { title: 'publish an event of a facility, 9 webhooks', call: publishForFacility, tidy: deliverAll },
  { title: 'publish an event of a person, 1 webhook', call: publishForPerson, tidy: deliverAll },
  { title: 'claim and settle 9 deliveries', prepare: publishForFacility, call: deliverAll },
  { title: 'portal: webhooks of an application', call: portalWebhooks },
  { title: 'portal: health of a webhook', call: ({ db }, number) => readHealth(db, idOf('whk', number), new Date()) },
  {
    title: 'deliveries of a webhook',
    call: async ({ db }, number) => {
      const { deliveries } = await listDeliveries(db, idOf('whk', number), EVERYTHING, PAGE)
      if (deliveries.length < 5) throw new Error(`${deliveries.length} deliveries`)
    },
  },
  {
    title: 'deliveries of a webhook that failed',
    call: ({ db }, number) => listDeliveries(db, idOf('whk', number), { ...EVERYTHING, state: 'failed' }, PAGE),
  },
  { title: 'one delivery and its attempts', call: oneDelivery },
  {
    title: 'support: deliveries of everybody',
    call: async ({ db }) => {
      const search = { environment: null, state: null, from: null, to: null }
      const { found: page } = await searchDeliveries(db, 'everywhere', search, PAGE)
      if (page.length < PAGE.limit) throw new Error(`${page.length} deliveries`)
    },
  },
  // Last: what it makes would be looked at by the others, and stand closer together the fewer facilities there are.
  { title: 'create a webhook', call: create },
]

async function create({ db, cipher }: Scene, number: number): Promise<void> {
  const owner = { environment: 'sandbox' as const, applicationId: idOf('app', number), userId: null }
  const facilities = [idOf('fac', Math.floor(number / PER_FACILITY))]
  if ((await invisibleFacilities(db, owner, facilities)).size > 0) throw new Error('A facility cannot be seen')
  const webhook = {
    ...owner,
    kind: 'facility' as const,
    url: 'https://partner.example/hooks',
    // Nothing that is published here, or what an event reaches would grow.
    events: ['shift.cancelled'],
    facilities,
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='],
  }
  const limits = { webhooksPerPerson: 1_000_000, webhooksPerApplication: 1_000_000 }
  const { outcome } = await registerWebhook(db, cipher, limits, webhook)
  if (outcome !== 'registered') throw new Error(`A webhook was not made: ${outcome}`)
}

function publishForFacility(scene: Scene, number: number): Promise<void> {
  const facilityId = idOf('fac', Math.floor(number / PER_FACILITY))
  return publish(scene, { type: 'shift.created', subject: { facilityId } }, ABOUT_PEOPLE)
}

function publishForPerson(scene: Scene, number: number): Promise<void> {
  const person = Math.floor(number / PER_FACILITY) * PER_FACILITY + ABOUT_PEOPLE
  return publish(scene, { type: 'request.created', subject: { userId: idOf('usr', person) } }, 1)
}

async function publish(
  { db }: Scene,
  about: { type: string; subject: { facilityId: string } | { userId: string } },
  reaches: number,
): Promise<void> {
  const data = JSON.stringify({ note: 'x'.repeat(200) })
  const event = { ...about, id: randomUUID(), environment: 'sandbox' as const, occurredAt: null, data, test: false }
  const intake = await transaction(db, (tx) => acceptEvents(tx, AUDIENCES.sandbox, 'sandbox', [event]))
  const deliveries = intake.outcome === 'accepted' ? intake.events[0]?.deliveries : 0
  if (deliveries !== reaches) throw new Error(`The event reached ${deliveries} webhooks`)
}

/** As a worker does, but for the sending. */
async function deliverAll({ db }: Scene): Promise<void> {
  const claims = await claimed(db)
  const verdict = verdictOf({ status: 200, retryAfterSeconds: null }, 1, 0)
  const attempted = { verdict, startedAt: new Date(), durationMs: 1, status: 200, error: null, message: null }
  const settled = await settleDeliveries(
    db,
    claims.map((claim) => ({ ...attempted, claim, responseHead: 'content-length: 0', responseBody: null })),
  )
  if (settled.size !== claims.length) throw new Error('Something was not settled')
}

/** A webhook that was claimed from is looked at again when the lease has ended: such looks find nothing. */
async function claimed(db: Db): Promise<Claim[]> {
  for (let look = 0; look < 1_000; look += 1) {
    const { claims } = await claimDeliveries(db, AUDIENCES, { webhooks: 20, health: 'well' })
    if (claims.length > 0) return claims
  }
  throw new Error('Nothing was due')
}

async function portalWebhooks({ db }: Scene, number: number): Promise<void> {
  const { webhooks } = await listForApplication(
    db,
    { applicationId: idOf('app', number), environment: 'sandbox' },
    PAGE,
  )
  const standings = await standingsOf(
    db,
    webhooks.map(({ id }) => id),
  )
  if (standings.size === 0) throw new Error('No webhook was found')
}

async function oneDelivery({ db, size, past }: Scene, number: number): Promise<void> {
  const webhookId = idOf('whk', number)
  const deliveryId = deliveryIdOf(number + 3 * size, size, past)
  found(await findDelivery(db, webhookId, deliveryId), deliveryId)
  found((await listAttempts(db, { webhookId, deliveryId }, PAGE))?.[0], `attempts of ${deliveryId}`)
}
