import { transaction } from '../../platform/transaction.ts'
import { MAX_SECRETS, versionOf, type Webhook } from '../webhooks/webhook.ts'
import { rotated } from '../webhooks/webhook-secret.ts'
import { changeWebhook } from '../webhooks/webhook-store.ts'
import { type AtWork, type ChangedMeanwhile, holdTeamWebhook, noteWork, type WebhookTools } from './team-webhook.ts'

/** The log says that they were shown, and never what they are. Null when there is no such webhook. */
export async function revealSecrets({ db, cipher }: WebhookTools, work: AtWork, id: string): Promise<Webhook | null> {
  return transaction(db, async (tx) => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'webhook.reveal')
    if (held !== null) await noteWork(tx, work, 'webhook.secrets-revealed', id, { after: countOf(held) })
    return held
  })
}

export type Rotated =
  | { outcome: 'done'; webhook: Webhook }
  | ChangedMeanwhile
  /** Two sign already, or only one does. */
  | { outcome: 'too-many' | 'too-few' }
  /** A person's: the software that made it knows its secrets and has to be told by the API. */
  | { outcome: 'a-persons' }
  | { outcome: 'unknown' }

export type Rotation = 'add' | 'remove-new' | 'remove-old'

/**
 * One step of a rotation. There is never a moment in which nothing that receivers know signs: a new secret is put beside the
 * present one, and only of two can one be removed. `version` is what the page showed, so that a second press, or somebody
 * else's, does not remove another secret than the one that was meant.
 */
export async function rotateSecrets(
  { db, cipher }: WebhookTools,
  work: AtWork,
  { id, version }: { id: string; version: string },
  rotation: Rotation,
): Promise<Rotated> {
  return transaction(db, async (tx): Promise<Rotated> => {
    const held = await holdTeamWebhook(tx, cipher, work, id, 'webhook.change')
    if (held === null) return { outcome: 'unknown' }
    if (held.userId !== null) return { outcome: 'a-persons' }
    if (versionOf(held) !== version) return { outcome: 'changed-meanwhile', webhook: held }
    if (rotation === 'add' && held.secrets.length >= MAX_SECRETS) return { outcome: 'too-many' }
    if (rotation !== 'add' && held.secrets.length < MAX_SECRETS) return { outcome: 'too-few' }
    const webhook = await changeWebhook(tx, cipher, held, { secrets: after(held.secrets, rotation) })
    const action = rotation === 'add' ? 'webhook.secret-added' : 'webhook.secret-removed'
    const which = rotation === 'add' ? {} : { removed: rotation === 'remove-new' ? 'the newer one' : 'the older one' }
    await noteWork(tx, work, action, id, { before: countOf(held), after: { ...countOf(webhook), ...which } })
    return { outcome: 'done', webhook }
  })
}

/** The newer one stands first. */
function after(secrets: readonly string[], rotation: Rotation): string[] {
  switch (rotation) {
    case 'add':
      return rotated(secrets)
    case 'remove-new':
      return secrets.slice(1)
    case 'remove-old':
      return secrets.slice(0, 1)
  }
}

function countOf({ secrets }: Webhook): { secrets: number } {
  return { secrets: secrets.length }
}
