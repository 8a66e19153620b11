import { HELD_CHOICES } from '../../domain/deliveries/hold-store.ts'
import { readHealth } from '../../domain/deliveries/webhook-health-store.ts'
import { standingsOf } from '../../domain/deliveries/webhook-standing-store.ts'
import { disableForTeam, enableForTeam } from '../../domain/support-acts/webhook-acts.ts'
import { urlForLog } from '../../domain/team-webhooks/team-webhook.ts'
import { type WebhookFacts, webhookFacts } from '../../domain/webhooks/webhook-facts-store.ts'
import { parameterOf } from '../../http/path-parameter.ts'
import { notFound } from '../../http/problem.ts'
import type { Db } from '../../platform/db.ts'
import { choice } from '../../ui/choice.ts'
import { html } from '../../ui/html.ts'
import { doneNotice, goDone } from '../threshold/done.ts'
import { sendFramed } from '../threshold/frame.ts'
import type { SupportRoute } from '../threshold/hang-routes.ts'
import type { SupportParts } from '../threshold/parts.ts'
import type { AtDesk } from '../threshold/visit.ts'
import { given, reasonedRoutes } from '../threshold/with-reason.ts'
import type { Asked } from '../threshold/with-reason-view.ts'
import { webhookContent } from './webhook-view.ts'

const PATH = '/webhooks/:webhook'

/** /support/webhooks/:webhook: whose it is and how it fares; switched on and off with a reason, which the team reads. */
export function webhookRoutes(parts: SupportParts): SupportRoute[] {
  const { db, bell, clock } = parts
  const find = (visit: AtDesk) => requireWebhook(db, visit)

  return [
    {
      method: 'GET',
      path: PATH,
      who: 'staff',
      answer: async (visit) => {
        const webhook = await find(visit)
        const [standings, health] = await Promise.all([
          standingsOf(db, [webhook.id]),
          readHealth(db, webhook.id, clock()),
        ])
        const standing = standings.get(webhook.id) ?? null
        const content = webhookContent({ done: doneNotice(visit), webhook, standing, health })
        return sendFramed(visit, 200, { title: 'Webhook', place: null, content })
      },
    },
    ...reasonedRoutes({
      path: `${PATH}/disable`,
      sensitive: false,
      find,
      ask: (webhook) => ({
        ...of(webhook),
        title: 'Disable the webhook',
        what: html`<p>No request of it begins any more. What happens meanwhile is held for 30 days. Its team can enable it again.</p>`,
        button: 'Disable',
        kind: 'danger',
      }),
      act: async (visit, webhook, act) => {
        switch (await disableForTeam(parts, act, webhook)) {
          case 'switched':
            return goDone(visit.reply, `/webhooks/${webhook.id}`, 'disabled')
          case 'same':
            return goDone(visit.reply, `/webhooks/${webhook.id}`, 'nothing')
          case 'unknown':
            throw notFound()
        }
      },
    }),
    ...reasonedRoutes({
      path: `${PATH}/enable`,
      sensitive: false,
      find,
      ask: (webhook, visit, faults) => ({
        ...of(webhook),
        title: 'Enable the webhook',
        what: html`<p>Earlier failures are forgotten, and the circuit is closed.</p>`,
        button: 'Enable',
        kind: 'primary',
        labels: { held: 'What was held' },
        fields: choice({
          name: 'held',
          legend: 'What was held meanwhile',
          options: [
            { value: 'send', label: 'Send it now', hint: 'Oldest first, at the webhook’s rate' },
            { value: 'keep', label: 'Keep it', hint: 'Until each is sent by hand, or all are replayed' },
          ],
          value: given(visit, 'held') || 'send',
          error: faults['held'],
        }),
      }),
      act: async (visit, webhook, act, again) => {
        const held = HELD_CHOICES.find((each) => each === visit.form.get('held'))
        if (held === undefined) return again(400, { held: 'Choose what becomes of it.' })
        switch (await enableForTeam(parts, act, webhook, held)) {
          case 'switched':
            bell.ring()
            return goDone(visit.reply, `/webhooks/${webhook.id}`, 'enabled')
          case 'same':
            return goDone(visit.reply, `/webhooks/${webhook.id}`, 'nothing')
          case 'unknown':
            throw notFound()
        }
      },
    }),
  ]
}

async function requireWebhook(db: Db, { request }: AtDesk): Promise<WebhookFacts> {
  const webhook = await webhookFacts(db, parameterOf(request, 'webhook'))
  if (webhook === null) throw notFound()
  return webhook
}

function of({ id, url }: WebhookFacts): Pick<Asked, 'back' | 'hint'> {
  return {
    back: { href: `/support/webhooks/${id}`, name: urlForLog(url) },
    hint: 'Written down; the team reads it in its audit log.',
  }
}
