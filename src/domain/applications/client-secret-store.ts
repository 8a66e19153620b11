import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AuditAction, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import type { Application } from './application.ts'
import { holdTeamApplication } from './team-application-store.ts'

/** One is replaced while the other still works. */
export const MOST_SECRETS = 2

export type LiveSecret = { id: string; name: string; createdAt: Date; lastUsedAt: Date | null }

/** Those that are not revoked, the oldest first. */
export async function secretsOf(db: DbOrTransaction, applicationId: string): Promise<LiveSecret[]> {
  const rows = await db<Array<{ id: string; name: string; created_at: Date; last_used_at: Date | null }>>`
    select id, name, created_at, last_used_at from application_secrets
    where application_id = ${applicationId} and revoked_at is null order by id`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }))
}

/** The secret itself is stored nowhere. `id` was chosen with the form: who sends that a second time makes no second one. */
export type NewSecret = { id: string; name: string; value: string }

export type AddOutcome = 'added' | 'there-already' | 'two-already' | 'keeps-none' | 'unknown'

export async function addSecret(
  db: Db,
  { teamId, applicationId }: { teamId: string; applicationId: string },
  secret: NewSecret,
  doing: Doing,
): Promise<AddOutcome> {
  return transaction(db, async (tx): Promise<AddOutcome> => {
    const application = await holdTeamApplication(tx, { teamId, applicationId }, doing, 'secret.change')
    if (application === null) return 'unknown'
    const known = await tx`select 1 from application_secrets where id = ${secret.id}`
    if (known.length > 0) return 'there-already'
    if (application.tokenEndpointAuthentication === 'none') return 'keeps-none'
    if ((await secretsOf(tx, applicationId)).length >= MOST_SECRETS) return 'two-already'
    await insertSecret(tx, teamId, application, secret, doing)
    return 'added'
  })
}

/** Of an application that is held, or that nobody else can see yet. */
export async function insertSecret(
  tx: DbOrTransaction,
  teamId: string,
  application: Pick<Application, 'id' | 'name'>,
  { id, name, value }: NewSecret,
  doing: Doing,
): Promise<void> {
  await tx`
    insert into application_secrets (id, application_id, name, secret_hash)
    values (${id}, ${application.id}, ${name}, ${secretHash(value)})`
  await append(tx, teamId, application, 'secret.created', name, doing)
}

export type RevokeOutcome = 'revoked' | 'last-one' | 'unknown'

/** The last one goes only when whoever asks knows that it is: another may have been revoked since they looked. */
export async function revokeSecret(
  db: Db,
  revoked: { teamId: string; applicationId: string; secretId: string; evenTheLast: boolean },
  doing: Doing,
): Promise<RevokeOutcome> {
  const { teamId, applicationId, secretId, evenTheLast } = revoked
  return transaction(db, async (tx): Promise<RevokeOutcome> => {
    const application = await holdTeamApplication(tx, { teamId, applicationId }, doing, 'secret.change')
    const live = application === null ? [] : await secretsOf(tx, applicationId)
    const secret = live.find(({ id }) => id === secretId)
    if (application === null || secret === undefined) return 'unknown'
    if (live.length === 1 && !evenTheLast) return 'last-one'
    await tx`update application_secrets set revoked_at = now() where id = ${secretId}`
    await append(tx, teamId, application, 'secret.revoked', secret.name, doing)
    return 'revoked'
  })
}

async function append(
  tx: DbOrTransaction,
  teamId: string,
  { id: applicationId, name: application }: Pick<Application, 'id' | 'name'>,
  action: Extract<AuditAction, `secret.${string}`>,
  secret: string,
  { actor, requestId }: Doing,
): Promise<void> {
  const named = { application, secret }
  const [before, after] = action === 'secret.created' ? [null, named] : [named, { application }]
  await appendAudit(tx, { actor, action, teamId, applicationId, before, after, requestId })
}
