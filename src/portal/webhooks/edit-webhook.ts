import type { FastifyReply } from 'fastify'
import { changeTeamWebhook } from '../../domain/team-webhooks/change-webhook.ts'
import { noneFoundWords } from '../../domain/webhooks/choose-facilities.ts'
import { versionOf, type Webhook } from '../../domain/webhooks/webhook.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { atWebhook, type InWebhook, inWebhook, sendInWebhook, webhookPath, workOf } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { facilityChoice } from './facility-choice.ts'
import { type FormFaults, readTyped, type TypedFields, typedFrom, typedOf, unknownWords } from './webhook-form.ts'
import { editWebhookContent, formNotices, listenerContent, type WebhookFormView } from './webhook-form-view.ts'

type Shown = { typed?: TypedFields; faults?: FormFaults; version?: string; stored?: Webhook }

/** …/webhooks/:webhook/edit. The form sends everything; what differs is written, and nothing else. */
export function editWebhookRoutes(parts: PortalParts): PortalRoute[] {
  async function show(visit: InWebhook, status: number, shown: Shown): Promise<FastifyReply> {
    const webhook = shown.stored ?? visit.webhook
    if (webhook.listener !== null)
      return sendInWebhook(parts, visit, status, {
        title: 'Edit a webhook',
        place: 'edit',
        content: listenerContent(webhook.listener),
      })
    const choice = await facilityChoice(parts.db, webhook, webhook)
    const at = `/portal${webhookPath(visit)}`
    const view: WebhookFormView = {
      csrf: visit.browser.csrf,
      action: `${at}/edit`,
      cancel: at,
      submit: 'Save',
      kind: webhook.kind,
      version: shown.version ?? versionOf(webhook),
      choice,
      typed: shown.typed ?? typedOf(webhook, choice),
      faults: shown.faults ?? {},
      stored: shown.stored ?? null,
    }
    const content = editWebhookContent(view)
    const page = { title: 'Edit a webhook', place: 'edit' as const, content, notices: formNotices(view) }
    return sendInWebhook(parts, visit, status, page)
  }

  async function save(visit: InWebhook): Promise<FastifyReply> {
    const { webhook, form } = visit
    // Whoever starts the listener says what it gets.
    if (webhook.listener !== null) return show(visit, 409, {})
    const typed = typedFrom(form, webhook.kind)
    const version = form.get('version') ?? ''
    const choice = await facilityChoice(parts.db, webhook, webhook)
    const read = readTyped(typed, choice, parts.targets)
    if ('faults' in read) return show(visit, 400, { typed, faults: read.faults, version })
    const changed = await changeTeamWebhook(parts, workOf(visit), { id: webhook.id, version }, read)
    switch (changed.outcome) {
      case 'changed':
        return goDone(visit.reply, webhookPath(visit), 'webhook-saved')
      case 'same':
        return goDone(visit.reply, webhookPath(visit), 'webhook-same')
      case 'changed-meanwhile':
        return show(visit, 409, { typed, stored: changed.webhook })
      case 'unknown-facilities':
        return show(visit, 400, { typed, faults: { facilities: unknownWords(changed.ids) }, version })
      case 'none-found':
        return show(visit, 400, { typed, faults: { facilities: noneFoundWords(webhook) }, version })
      case 'unknown':
        throw notFound()
    }
  }

  const path = atWebhook('/edit')
  return [
    { method: 'GET', path, who: 'webhook.change', answer: inWebhook(parts, (visit) => show(visit, 200, {})) },
    { method: 'POST', path, who: 'webhook.change', answer: inWebhook(parts, save) },
  ]
}
