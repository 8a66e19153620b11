import type { FastifyReply } from 'fastify'
import { type Rotation, revealSecrets, rotateSecrets } from '../../domain/team-webhooks/webhook-secrets.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { atWebhook, type InWebhook, inWebhook, webhookPath, workOf } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { showWebhook } from './webhook.ts'

/** Seeing a webhook's secrets, and replacing them step by step. They are in the answer to a POST and nowhere else. */
export function webhookSecretRoutes(parts: PortalParts): PortalRoute[] {
  async function reveal(visit: InWebhook): Promise<FastifyReply> {
    const webhook = await revealSecrets(parts, workOf(visit), visit.webhook.id)
    if (webhook === null) throw notFound()
    return showWebhook(parts, { ...visit, webhook }, 200, { revealed: webhook.secrets })
  }

  async function rotate(visit: InWebhook, rotation: Rotation): Promise<FastifyReply> {
    const { webhook, form, reply } = visit
    const version = form.get('version') ?? ''
    const rotated = await rotateSecrets(parts, workOf(visit), { id: webhook.id, version }, rotation)
    switch (rotated.outcome) {
      case 'done':
        return goDone(reply, webhookPath(visit), rotation === 'add' ? 'secret-added' : 'secret-removed')
      case 'changed-meanwhile':
        return showWebhook(parts, { ...visit, webhook: rotated.webhook }, 409, { error: MEANWHILE })
      case 'too-many':
        return showWebhook(parts, visit, 409, { error: 'Two secrets sign already. Remove one of them first.' })
      case 'too-few':
        return showWebhook(parts, visit, 409, { error: 'It is the only secret. Add a new one first.' })
      case 'a-persons':
        return showWebhook(parts, visit, 409, { error: 'The secrets of a person’s webhook are changed by the API.' })
      case 'unknown':
        throw notFound()
    }
  }

  return [
    { method: 'POST', path: atWebhook('/secrets'), who: 'webhook.reveal', answer: inWebhook(parts, reveal) },
    {
      method: 'POST',
      path: atWebhook('/secrets/add'),
      who: 'webhook.change',
      answer: inWebhook(parts, (visit) => rotate(visit, 'add')),
    },
    {
      method: 'POST',
      path: atWebhook('/secrets/remove'),
      who: 'webhook.change',
      answer: inWebhook(parts, (visit) =>
        rotate(visit, visit.form.get('which') === 'new' ? 'remove-new' : 'remove-old'),
      ),
    },
  ]
}

const MEANWHILE = 'Somebody has changed this webhook since you opened the page. Nothing was done; look again.'
