import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { AuditAction, AuditState } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { type HeldChoice, untilUnderWay } from '../deliveries/hold-store.ts'
import { type Resend, resendDelivery } from '../deliveries/resend-store.ts'
import { disableWebhook, enableWebhook } from '../deliveries/switch-webhook.ts'
import type { Audiences } from '../tokens/audience.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import type { WebhookFacts } from '../webhooks/webhook-facts-store.ts'
import { holdWebhook } from '../webhooks/webhook-store.ts'
import type { SupportAct } from './support-act.ts'

export type ActTools = { db: Db; cipher: Cipher }

/** `same`: it was so already. */
export type SwitchedBySupport = 'switched' | 'same' | 'unknown'

/** Followed by ringing the bell. */
export async function enableForTeam(
  { db, cipher }: ActTools,
  act: SupportAct,
  webhook: WebhookFacts,
  choice: HeldChoice,
): Promise<SwitchedBySupport> {
  return retriedTransaction(db, async (tx): Promise<SwitchedBySupport> => {
    const held = await hold(tx, cipher, webhook)
    if (held === null) return 'unknown'
    if (held.disabledBecause === null) return 'same'
    await enableWebhook(tx, held, choice)
    const states = { before: { disabled: held.disabledBecause }, after: { disabled: 'no', held: choice } }
    await note(tx, act, 'webhook.enabled', webhook, states)
    return 'switched'
  })
}

/** When this returns, no request of it begins any more (decision D8). */
export async function disableForTeam(
  { db, cipher }: ActTools,
  act: SupportAct,
  webhook: WebhookFacts,
): Promise<SwitchedBySupport> {
  const switched = await retriedTransaction(db, async (tx): Promise<SwitchedBySupport> => {
    const held = await hold(tx, cipher, webhook)
    if (held === null) return 'unknown'
    if (held.disabledBecause !== null) return 'same'
    await disableWebhook(tx, held)
    const states = { before: { disabled: 'no' }, after: { disabled: 'by_request' } }
    await note(tx, act, 'webhook.disabled', webhook, states)
    return 'switched'
  })
  if (switched === 'switched') await untilUnderWay(db, webhook.id)
  return switched
}

export type SentAgainBySupport = Resend | { outcome: 'disabled' }

/** One attempt, now (decision D9). Followed by ringing the bell. */
export async function sendAgainForTeam(
  { db, cipher, audiences }: ActTools & { audiences: Audiences },
  act: SupportAct,
  webhook: WebhookFacts,
  deliveryId: string,
): Promise<SentAgainBySupport> {
  return retriedTransaction(db, async (tx): Promise<SentAgainBySupport> => {
    const held = await hold(tx, cipher, webhook)
    if (held === null) return { outcome: 'unknown' }
    if (held.disabledBecause !== null || webhook.applicationStopped) return { outcome: 'disabled' }
    const resent = await resendDelivery(tx, audiences, webhook.id, deliveryId)
    if (resent.outcome === 'queued')
      await note(tx, act, 'delivery.sent-again', webhook, { after: { delivery: deliveryId } })
    return resent
  })
}

/** Written down before anything is shown, and where the team reads it. A webhook that is gone has no team any more. */
export async function noteRevealed(
  db: Db,
  act: SupportAct,
  { webhookId, webhook, deliveryId }: { webhookId: string; webhook: WebhookFacts | null; deliveryId: string },
): Promise<void> {
  const of = webhook ?? { id: webhookId, environment: null, team: null, applicationId: null }
  await note(db, act, 'delivery.revealed', of, { after: { delivery: deliveryId } })
}

async function hold(tx: DbOrTransaction, cipher: Cipher, webhook: WebhookFacts): Promise<Webhook | null> {
  const { applicationId, environment, id } = webhook
  return holdWebhook(tx, cipher, { applicationId, environment, userId: null }, 'either', id)
}

type Noted = {
  id: string
  environment: WebhookFacts['environment'] | null
  team: WebhookFacts['team']
  applicationId: string | null
}

/** In the log of the team that the webhook belongs to, with what support gave as the reason. */
async function note(
  tx: DbOrTransaction,
  { actor, requestId, reason }: SupportAct,
  action: AuditAction,
  { id, environment, team, applicationId }: Noted,
  { before = null, after }: { before?: AuditState | null; after: AuditState },
): Promise<void> {
  const at = { webhook: id, environment }
  await appendAudit(tx, {
    actor,
    action,
    teamId: team?.id ?? null,
    applicationId,
    before: before && { ...at, ...before },
    after: { ...at, ...after, reason },
    requestId,
  })
}
