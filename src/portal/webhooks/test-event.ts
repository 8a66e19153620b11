import type { FastifyReply } from 'fastify'
import { untilAttempted } from '../../domain/deliveries/await-attempt.ts'
import { exampleData } from '../../domain/deliveries/example-data.ts'
import { usualType } from '../../domain/deliveries/test-event.ts'
import { nameFacilities } from '../../domain/facilities/facility-name-store.ts'
import { sendTeamTest } from '../../domain/team-webhooks/send-test-event.ts'
import { eventsOf } from '../../domain/webhooks/event-names.ts'
import { giveBack } from '../../http/admission.ts'
import { notFound } from '../../http/problem.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import {
  atWebhook,
  charged,
  type InWebhook,
  inWebhook,
  SLOW_DOWN,
  sendInWebhook,
  WHILE_DISABLED,
  webhookPath,
  workOf,
} from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { dataFault } from './test-data.ts'
import { type TestFaults, type TestTyped, testEventContent, testNotices } from './test-event-view.ts'

/** So many of the webhook's facilities can be chosen from. */
const MOST_OFFERED = 60

/** …/webhooks/:webhook/test: an event of one's own making, to this webhook alone (decision C11). */
export function testEventRoutes(parts: PortalParts): PortalRoute[] {
  async function show(visit: InWebhook, status: number, typed: TestTyped, faults: TestFaults): Promise<FastifyReply> {
    const { webhook, browser, environment } = visit
    const facilities = await nameFacilities(parts.db, environment, webhook.facilities.slice(0, MOST_OFFERED))
    const at = `/portal${webhookPath(visit)}`
    const content = testEventContent({ at, csrf: browser.csrf, webhook, facilities, typed, faults })
    const notices = Object.keys(faults).length > 0 ? testNotices(faults) : doneNotice(visit)
    return sendInWebhook(parts, visit, status, { title: 'Test event', place: 'test', content, notices })
  }

  async function send(visit: InWebhook): Promise<FastifyReply> {
    const { webhook, form, reply } = visit
    const typed = {
      type: knownType(visit, form.get('type')),
      facilityId: form.get('facility'),
      data: form.get('data') ?? '',
    }
    const fault = dataFault(typed.data)
    if (fault !== null) return show(visit, 400, typed, { data: fault })
    if (!charged(parts, visit, 'test event')) return show(visit, 429, typed, { page: SLOW_DOWN })
    const tested = await sendTeamTest(parts, workOf(visit), webhook.id, { ...typed, data: typed.data.trim() })
    switch (tested.outcome) {
      case 'sent': {
        parts.bell.ring()
        const { deliveryId } = tested
        giveBack(visit.request)
        await untilAttempted(parts.db, { webhookId: webhook.id, deliveryId }, 0)
        return goDone(reply, `${webhookPath(visit)}/deliveries/${deliveryId}`, 'tested')
      }
      case 'disabled':
        return show(visit, 409, typed, {
          page: WHILE_DISABLED,
        })
      case 'unknown-facility':
        return show(visit, 400, typed, { facility: 'The application is not connected to this facility any more.' })
      case 'unknown':
        throw notFound()
    }
  }

  return [
    {
      method: 'GET',
      path: atWebhook('/test'),
      who: 'delivery.send',
      answer: inWebhook(parts, (visit) => {
        const type = knownType(visit, visit.query.get('type'))
        return show(visit, 200, { type, facilityId: null, data: indented(exampleData(type)) }, {})
      }),
    },
    { method: 'POST', path: atWebhook('/test'), who: 'delivery.send', answer: inWebhook(parts, send) },
  ]
}

/** A type that we did not offer counts as none. */
function knownType({ webhook }: InWebhook, asked: string | null): string {
  return eventsOf(webhook.kind).find((each) => each === asked) ?? usualType(webhook)
}

function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}
