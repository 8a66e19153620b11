import type { DbOrTransaction } from '../../platform/db.ts'
import { allowedScope } from '../consents/consent-store.ts'
import { invisibleFacilities } from '../facilities/visible-facility-store.ts'
import type { Audiences } from '../tokens/audience.ts'
import type { WebhookOwner } from '../webhooks/webhook.ts'
import type { NewEvent } from './event.ts'

/**
 * Whom an integrator may make an event up about: a facility that they see, themselves, or for an application somebody who
 * has allowed it. Unknown and forbidden look alike, as for webhooks (decision C5).
 */
export async function mayTellOf(
  db: DbOrTransaction,
  audiences: Audiences,
  owner: WebhookOwner,
  subject: NewEvent['subject'],
): Promise<boolean> {
  if ('facilityId' in subject) return (await invisibleFacilities(db, owner, [subject.facilityId])).size === 0
  const { userId } = subject
  if (owner.userId !== null) return owner.userId === userId
  const { applicationId, environment } = owner
  return (await allowedScope(db, { userId, applicationId, audience: audiences[environment] })) !== null
}
