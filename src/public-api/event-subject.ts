import { mayTellOf } from '../domain/deliveries/event-subject.ts'
import type { WebhookOwner } from '../domain/webhooks/webhook.ts'
import type { FieldProblem } from '../http/problem.ts'
import type { ApiCall } from './api-call.ts'

/** Says which of the named facility and person an event may not be made up about. */
export async function checkSubject(
  { db, audiences }: Pick<ApiCall, 'db' | 'audiences'>,
  owner: WebhookOwner,
  { facilityId, userId }: { facilityId?: string; userId?: string },
  faults: FieldProblem[],
): Promise<void> {
  if (facilityId !== undefined && !(await mayTellOf(db, audiences, owner, { facilityId })))
    faults.push({ pointer: '/facilityId', code: 'unknown_facility', message: 'is not a facility that you may see.' })
  if (userId !== undefined && !(await mayTellOf(db, audiences, owner, { userId })))
    faults.push({
      pointer: '/userId',
      code: 'unknown_person',
      message:
        owner.userId === null
          ? 'is not a person who has allowed this application to use this API for them.'
          : 'is not the person for whom this is done.',
    })
}
