import { allowedScope } from '../domain/consents/consent-store.ts'
import { invisibleFacilities } from '../domain/facilities/visible-facility-store.ts'
import type { WebhookOwner } from '../domain/webhooks/webhook.ts'
import type { FieldProblem } from '../http/problem.ts'
import type { ApiCall } from './api-call.ts'

/**
 * Whom an integrator may make an event up about: a facility that they see, themselves, or for an application somebody who
 * has allowed it. Unknown and forbidden look alike, as for webhooks (decision C5).
 */
export async function checkSubject(
  { db, audiences }: Pick<ApiCall, 'db' | 'audiences'>,
  owner: WebhookOwner,
  { facilityId, userId }: { facilityId?: string; userId?: string },
  faults: FieldProblem[],
): Promise<void> {
  if (facilityId !== undefined && (await invisibleFacilities(db, owner, [facilityId])).size > 0)
    faults.push({ pointer: '/facilityId', code: 'unknown_facility', message: 'is not a facility that you may see.' })
  if (userId !== undefined && !(await mayTellOf(db, audiences, owner, userId)))
    faults.push({
      pointer: '/userId',
      code: 'unknown_person',
      message:
        owner.userId === null
          ? 'is not a person who has allowed this application to use this API for them.'
          : 'is not the person for whom this is done.',
    })
}

async function mayTellOf(
  db: ApiCall['db'],
  audiences: ApiCall['audiences'],
  { applicationId, environment, userId: owner }: WebhookOwner,
  userId: string,
): Promise<boolean> {
  if (owner !== null) return owner === userId
  return (await allowedScope(db, { userId, applicationId, audience: audiences[environment] })) !== null
}
