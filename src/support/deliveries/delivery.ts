import type { FastifyReply } from 'fastify'
import { type Attempt, listAttempts } from '../../domain/deliveries/attempt-list-store.ts'
import type { Delivery } from '../../domain/deliveries/delivery.ts'
import { findDelivery } from '../../domain/deliveries/delivery-list-store.ts'
import { webhookOfDelivery } from '../../domain/deliveries/delivery-place-store.ts'
import { noteRevealed, sendAgainForTeam } from '../../domain/support-acts/webhook-acts.ts'
import { type WebhookFacts, webhookFacts } from '../../domain/webhooks/webhook-facts-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import type { Db } from '../../platform/db.ts'
import { reasonInWords } from '../../ui/delivery-state.ts'
import { html, type Markup } from '../../ui/html.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { reasonedRoutes } from '../threshold/with-reason.ts'
import type { Asked } from '../threshold/with-reason-view.ts'
import { deliveryContent } from './delivery-view.ts'
import { revealedCards } from './revealed-view.ts'

/** The schedule makes ten; those by hand come on top. */
const MOST_ATTEMPTS = 30

type Seen = {
  delivery: Delivery & { body: string }
  webhookId: string
  webhook: WebhookFacts | null
  attempts: Attempt[]
}

const PATH = '/deliveries/:delivery'

/** /support/deliveries/:delivery: how it fared. What is in it is shown to who says why, in that answer alone. */
export function deliveryRoutes(parts: SupportParts): SupportRoute[] {
  const { db, bell } = parts
  const find = (visit: AtDesk) => requireDelivery(db, visit)

  return [
    {
      method: 'GET',
      path: PATH,
      who: 'staff',
      answer: async (visit) => show(visit, await find(visit), null),
    },
    ...reasonedRoutes({
      path: `${PATH}/reveal`,
      sensitive: true,
      find,
      ask: (seen) => ({
        ...of(seen),
        title: 'Reveal what was sent',
        what: html`<p>The body, the headers and the answers of this delivery are shown to you once. Say whose request or incident
makes you look.</p>`,
        button: 'Reveal',
        kind: 'primary',
      }),
      act: async (visit, seen, act) => {
        const { delivery, webhookId, webhook, attempts } = seen
        await noteRevealed(db, act, { webhookId, webhook, deliveryId: delivery.id })
        const shown = attempts.slice(0, MOST_ATTEMPTS)
        return show(visit, seen, revealedCards({ eventId: delivery.eventId, body: delivery.body, attempts: shown }))
      },
    }),
    ...reasonedRoutes({
      path: `${PATH}/send-again`,
      sensitive: false,
      find,
      ask: (seen) => ({
        ...of(seen),
        title: 'Send again',
        what: html`<p>One attempt is made now, with the same id and the webhook’s present secrets. It counts for nothing but itself.</p>`,
        button: 'Send again',
        kind: 'primary',
      }),
      act: async (visit, { delivery, webhook }, act, again) => {
        const sent = webhook && (await sendAgainForTeam(parts, act, webhook, delivery.id))
        switch (sent?.outcome) {
          case 'queued':
            bell.ring()
            return goDone(visit.reply, `/deliveries/${delivery.id}`, 'resent')
          case 'in-flight':
            return again(409, { page: 'It is being sent at this moment.' })
          case 'unwanted':
            return again(409, { page: `It would not be sent: ${reasonInWords(sent.because)}.` })
          case 'disabled':
            return again(409, { page: 'Nothing is sent to this webhook at present: enable it first.' })
          case 'unknown':
          case undefined:
            return again(409, { page: 'The webhook is gone.' })
        }
      },
    }),
  ]
}

function show(visit: AtDesk, { delivery, webhookId, webhook, attempts }: Seen, revealed: Markup | null): FastifyReply {
  const content = deliveryContent({
    done: doneNotice(visit),
    delivery,
    webhookId,
    webhook,
    attempts: attempts.slice(0, MOST_ATTEMPTS),
    more: attempts.length > MOST_ATTEMPTS,
    revealed,
  })
  return sendFramed(visit, 200, { title: 'Delivery', place: 'deliveries', content })
}

async function requireDelivery(db: Db, { request }: AtDesk): Promise<Seen> {
  const id = parameterOf(request, 'delivery')
  const webhookId = await webhookOfDelivery(db, id)
  if (webhookId === null) throw notFound()
  const [delivery, webhook, attempts] = await Promise.all([
    findDelivery(db, webhookId, id),
    webhookFacts(db, webhookId),
    listAttempts(db, { webhookId, deliveryId: id }, { before: null, limit: MOST_ATTEMPTS + 1 }),
  ])
  if (delivery === null) throw notFound()
  return { delivery, webhookId, webhook, attempts: attempts ?? [] }
}

function of({ delivery }: Seen): Pick<Asked, 'back' | 'hint'> {
  return {
    back: { href: `/support/deliveries/${delivery.id}`, name: delivery.id },
    hint: 'Written down; the team reads it in its audit log.',
  }
}
