import type { FastifyReply } from 'fastify'
import { createTeamWebhook } from '../../domain/team-webhooks/create-webhook.ts'
import { viewerFor } from '../../domain/team-webhooks/team-webhook.ts'
import { noneFoundWords } from '../../domain/webhooks/choose-facilities.ts'
import { limitWords } from '../../domain/webhooks/register-webhook.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { type InEnvironment, inEnvironment, sendInApplication } from '../threshold/in-application.ts'
import { WEBHOOKS, webhooksPath, workOf } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { facilityChoice } from './facility-choice.ts'
import { type FormFaults, readTyped, type TypedFields, typedFrom, typedOf, unknownWords } from './webhook-form.ts'
import { newWebhookContent, type WebhookFormView } from './webhook-form-view.ts'

/** …/webhooks/new: a facility webhook of the application itself (decision E1). */
export function newWebhookRoutes(parts: PortalParts): PortalRoute[] {
  async function show(
    visit: InEnvironment,
    status: number,
    given: TypedFields | null,
    faults: FormFaults,
  ): Promise<FastifyReply> {
    const choice = await facilityChoice(parts.db, viewerFor(visit), null)
    const at = `/portal${webhooksPath(visit)}`
    const view: WebhookFormView = {
      csrf: visit.browser.csrf,
      action: `${at}/new`,
      cancel: at,
      submit: 'Create the webhook',
      kind: 'facility',
      version: null,
      choice,
      typed: given ?? typedOf(null, choice),
      faults,
      stored: null,
    }
    const content = newWebhookContent(view, visit.environment)
    const page = { title: 'Create a webhook', place: 'webhooks' as const, content, within: '/webhooks/new' }
    return sendInApplication(visit, status, page)
  }

  async function create(visit: InEnvironment): Promise<FastifyReply> {
    const owner = viewerFor(visit)
    const typed = typedFrom(visit.form, 'facility')
    const choice = await facilityChoice(parts.db, owner, null)
    const read = readTyped(typed, choice, parts.targets)
    if ('faults' in read) return show(visit, 400, typed, read.faults)
    const { url, events } = read
    const facilities = read.facilities === 'as-they-are' ? null : read.facilities
    const created = await createTeamWebhook(parts, workOf(visit), { url, events, facilities })
    switch (created.outcome) {
      case 'created':
        return goDone(visit.reply, `${webhooksPath(visit)}/${created.webhook.id}`, 'webhook-created')
      case 'unknown-facilities':
        return show(visit, 400, typed, { facilities: unknownWords(created.ids) })
      case 'none-found':
        return show(visit, 400, typed, { facilities: noneFoundWords(owner) })
      case 'limit-reached':
        return show(visit, 409, typed, { page: limitWords(created.limit, owner) })
      case 'unknown':
        throw notFound()
    }
  }

  const path = `${WEBHOOKS}/new` as const
  return [
    { method: 'GET', path, who: 'webhook.change', answer: inEnvironment(parts, (visit) => show(visit, 200, null, {})) },
    { method: 'POST', path, who: 'webhook.change', answer: inEnvironment(parts, create) },
  ]
}
