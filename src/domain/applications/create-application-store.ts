import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { makeSandbox } from '../sandboxes/sandbox-store.ts'
import { holdRight } from '../teams/right-store.ts'
import { holdTeam } from '../teams/team-store.ts'
import { API_SCOPES, type Application } from './application.ts'
import { type Room, roomFor } from './application-limit-store.ts'
import { insertApplication } from './application-store.ts'
import { giveToTeam } from './application-team-store.ts'
import { insertSecret, type NewSecret } from './client-secret-store.ts'

export type NewTeamApplication = {
  teamId: string
  /** Its id was chosen with the form: who sends that a second time makes no second one. */
  application: Application
  /** Null for those that keep none. */
  secret: NewSecret | null
  sandbox: { audience: string; passwordHash: string }
}

export type CreateOutcome =
  | { outcome: 'created'; testPerson: { email: string } }
  | { outcome: 'there-already' | Exclude<Room, 'room'> }
  /** Whoever asks lost the right to it since their page was opened. */
  | { outcome: 'not-allowed' }

/** All of it or nothing: the application, its first secret, and what it tries itself with (decision E1). */
export async function createApplication(
  db: Db,
  { teamId, application, secret, sandbox }: NewTeamApplication,
  doing: Doing,
): Promise<CreateOutcome> {
  return transaction(db, async (tx): Promise<CreateOutcome> => {
    await holdTeam(tx, teamId)
    if (!(await holdRight(tx, teamId, doing, 'application.create'))) return { outcome: 'not-allowed' }
    const known = await tx`select 1 from applications where id = ${application.id}`
    if (known.length > 0) return { outcome: 'there-already' }
    const room = await roomFor(tx, teamId, 'new')
    if (room !== 'room') return { outcome: room }
    await insertApplication(tx, application)
    await giveToTeam(tx, teamId, [application.id])
    await appendAudit(tx, {
      actor: doing.actor,
      action: 'application.created',
      teamId,
      applicationId: application.id,
      before: null,
      after: { application: application.name, type: application.type },
      requestId: doing.requestId,
    })
    if (secret !== null) await insertSecret(tx, teamId, application, secret, doing)
    const consent = { audience: sandbox.audience, scope: [...API_SCOPES] }
    const testPerson = await makeSandbox(tx, application.id, sandbox.passwordHash, consent)
    return { outcome: 'created', testPerson }
  })
}
