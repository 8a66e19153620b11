import { retriedTransaction } from '../../platform/retried-transaction.ts'
import { holdTeamApplication } from '../applications/team-application-store.ts'
import { chooseFacilities } from '../webhooks/choose-facilities.ts'
import { registerWebhook } from '../webhooks/register-webhook.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import { newWebhookSecret } from '../webhooks/webhook-secret.ts'
import { type AtWork, noteWork, stateOf, viewerFor, type WebhookTools } from './team-webhook.ts'

/** `facilities` is null for all that are connected now. The URL has been judged by whoever read it. */
export type NewTeamWebhook = { url: string; events: string[]; facilities: string[] | null }

export type Created =
  | { outcome: 'created'; webhook: Webhook }
  | { outcome: 'unknown-facilities'; ids: ReadonlySet<string> }
  | { outcome: 'none-found' }
  | { outcome: 'limit-reached'; limit: number }
  /** The application is deleted, or whoever asks lost the right to it. */
  | { outcome: 'unknown' }

/** A facility webhook of the application itself, with a secret of ours (decision E1). */
export async function createTeamWebhook(
  { db, cipher }: WebhookTools,
  work: AtWork,
  { url, events, facilities }: NewTeamWebhook,
): Promise<Created> {
  const owner = viewerFor(work)
  const named = { teamId: work.teamId, applicationId: work.application.id }
  return retriedTransaction(db, async (tx): Promise<Created> => {
    if ((await holdTeamApplication(tx, named, work.doing, 'webhook.change')) === null) return { outcome: 'unknown' }
    const chosen = await chooseFacilities(tx, owner, facilities)
    if (chosen.outcome === 'unknown') return { outcome: 'unknown-facilities', ids: chosen.ids }
    if (chosen.outcome === 'none-found') return chosen
    const webhook = { ...owner, kind: 'facility' as const, url, events, facilities: chosen.facilities }
    const secrets = [newWebhookSecret()]
    const registered = await registerWebhook(tx, cipher, work.application, { ...webhook, secrets })
    if (registered.outcome === 'limit-reached') return registered
    await noteWork(tx, work, 'webhook.created', registered.webhook.id, { after: stateOf(registered.webhook) })
    return { outcome: 'created', webhook: registered.webhook }
  })
}
