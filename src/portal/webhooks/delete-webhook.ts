import { deleteTeamWebhook } from '../../domain/team-webhooks/delete-webhook.ts'
import { notFound } from '../../http/problem.ts'
import { goDone } from '../threshold/done.ts'
import type { PortalRoute } from '../threshold/hang-routes.ts'
import { atWebhook, inWebhook, sendInWebhook, webhookPath, webhooksPath, workOf } from '../threshold/in-webhook.ts'
import type { PortalParts } from '../threshold/parts.ts'
import { deleteContent } from './delete-webhook-view.ts'

/** …/webhooks/:webhook/delete: asked once more, then gone. */
export function deleteWebhookRoutes(parts: PortalParts): PortalRoute[] {
  const path = atWebhook('/delete')
  return [
    {
      method: 'GET',
      path,
      who: 'webhook.change',
      answer: inWebhook(parts, async (visit) => {
        const { webhook, browser, environment } = visit
        const at = `/portal${webhookPath(visit)}`
        const content = deleteContent({ at, csrf: browser.csrf, webhook, environment })
        return sendInWebhook(parts, visit, 200, { title: 'Delete a webhook', place: 'edit', content })
      }),
    },
    {
      method: 'POST',
      path,
      who: 'webhook.change',
      answer: inWebhook(parts, async (visit) => {
        if (!(await deleteTeamWebhook(parts, workOf(visit), visit.webhook.id))) throw notFound()
        return goDone(visit.reply, webhooksPath(visit), 'webhook-deleted')
      }),
    },
  ]
}
