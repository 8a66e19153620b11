import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import type { Application } from '../applications/application.ts'
import type { AuditAction, AuditState, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import type { Environment } from '../environment.ts'
import { holdRight } from '../teams/right-store.ts'
import type { TeamAction } from '../teams/team.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import { findWebhook, holdWebhook, type Viewer } from '../webhooks/webhook-store.ts'

/** What every change leans on. */
export type WebhookTools = { db: Db; cipher: Cipher }

/** Whose webhooks these are, and who is at it. */
export type AtWork = {
  teamId: string
  application: Application
  environment: Environment
  doing: Doing
}

/** A change that is meant for another version than the present one is not made; `webhook` is how it is now. */
export type ChangedMeanwhile = { outcome: 'changed-meanwhile'; webhook: Webhook }

/** A team sees what its application sees: the webhooks of its people, too (decision C4). */
export function viewerFor({ application, environment }: Pick<AtWork, 'application' | 'environment'>): Viewer {
  return { applicationId: application.id, environment, userId: null }
}

export async function findTeamWebhook(
  { db, cipher }: WebhookTools,
  where: Pick<AtWork, 'application' | 'environment'>,
  id: string,
): Promise<Webhook | null> {
  return findWebhook(db, cipher, viewerFor(where), 'either', id)
}

/** Nobody else changes it until the transaction ends. For who lost the right to it since their page was opened, there is none. */
export async function holdTeamWebhook(
  tx: DbOrTransaction,
  cipher: Cipher,
  work: AtWork,
  id: string,
  action: TeamAction,
): Promise<Webhook | null> {
  if (!(await holdRight(tx, work.teamId, work.doing, action))) return null
  return holdWebhook(tx, cipher, viewerFor(work), 'either', id)
}

export async function noteWork(
  tx: DbOrTransaction,
  { teamId, application, environment, doing }: AtWork,
  action: AuditAction,
  webhookId: string,
  { before = null, after = null }: { before?: AuditState | null; after?: AuditState | null } = {},
): Promise<void> {
  const { actor, requestId } = doing
  const at = { webhook: webhookId, environment }
  await appendAudit(tx, {
    actor,
    action,
    teamId,
    applicationId: application.id,
    before: before && { ...at, ...before },
    after: after === null && before !== null ? null : { ...at, ...after },
    requestId,
  })
}

/** A webhook as the audit log tells of it. */
export function stateOf({ url, events, facilities }: Webhook): Record<'url' | 'events' | 'facilities', string> {
  return { url: urlForLog(url), events: events.join(', '), facilities: String(facilities.length) }
}

/** A query may carry what only the receiver is to know, and the log is kept for longer than the webhook. */
export function urlForLog(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return origin + pathname + (search === '' ? '' : '?…')
}
