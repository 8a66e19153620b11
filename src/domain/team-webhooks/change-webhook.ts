import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { AuditState } from '../audit/audit.ts'
import { chooseFacilities } from '../webhooks/choose-facilities.ts'
import { versionOf, type Webhook, type WebhookChange } from '../webhooks/webhook.ts'
import { changeWebhook } from '../webhooks/webhook-store.ts'
import {
  type AtWork,
  type ChangedMeanwhile,
  holdTeamWebhook,
  noteWork,
  stateOf,
  type WebhookTools,
} from './team-webhook.ts'

/** Everything that the form shows. Of facilities: as they are, all that the owner sees now (null), or these. */
export type TypedWebhook = { url: string; events: string[]; facilities: 'as-they-are' | string[] | null }

export type Changed =
  | { outcome: 'changed' | 'same'; webhook: Webhook }
  | ChangedMeanwhile
  | { outcome: 'unknown-facilities'; ids: ReadonlySet<string> }
  | { outcome: 'none-found' }
  | { outcome: 'unknown' }

/** Only what differs is written, and written down: what nobody touched is checked by nobody either. */
export async function changeTeamWebhook(
  { db, cipher }: WebhookTools,
  work: AtWork,
  { id, version }: { id: string; version: string },
  typed: TypedWebhook,
): Promise<Changed> {
  return retriedTransaction(db, async (tx): Promise<Changed> => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'webhook.change')
    if (held === null) return { outcome: 'unknown' }
    if (versionOf(held) !== version) return { outcome: 'changed-meanwhile', webhook: held }
    const change: WebhookChange = {
      ...(typed.url !== held.url && { url: typed.url }),
      ...(!sameSet(typed.events, held.events) && { events: typed.events }),
    }
    if (typed.facilities !== 'as-they-are' && !(typed.facilities && sameSet(typed.facilities, held.facilities))) {
      const chosen = await chooseFacilities(tx, held, typed.facilities)
      if (chosen.outcome === 'unknown') return { outcome: 'unknown-facilities', ids: chosen.ids }
      if (chosen.outcome === 'none-found') return chosen
      if (!sameSet(chosen.facilities, held.facilities)) change.facilities = chosen.facilities
    }
    if (Object.keys(change).length === 0) return { outcome: 'same', webhook: held }
    const webhook = await changeWebhook(tx, cipher, held, change)
    await noteWork(tx, work, 'webhook.changed', id, statesOf(held, webhook, change))
    return { outcome: 'changed', webhook }
  })
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0
}

/** So many ids are named in the log; beyond, they are counted. */
const MOST_NAMED = 20

function statesOf(held: Webhook, now: Webhook, change: WebhookChange): { before: AuditState; after: AuditState } {
  const changed = (state: Record<string, string>) =>
    Object.fromEntries(Object.entries(state).filter(([name]) => name in change))
  const was = new Set(held.facilities)
  const is = new Set(now.facilities)
  const added = [...is.difference(was)]
  const removed = [...was.difference(is)]
  return {
    before: changed(stateOf(held)),
    after: {
      ...changed(stateOf(now)),
      ...(added.length > 0 && { 'facilities added': listed(added) }),
      ...(removed.length > 0 && { 'facilities removed': listed(removed) }),
    },
  }
}

function listed(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED
  return ids.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
