import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { holdTeamApplication } from '../applications/team-application-store.ts'
import type { Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import type { CommandLineKey } from './command-line-key.ts'

/** Newest first; never more than an application may have. */
export async function keysOf(db: DbOrTransaction, applicationId: string): Promise<CommandLineKey[]> {
  const rows = await db<
    Array<{ id: string; name: string; email: string; created_at: Date; expires_at: Date; last_used_at: Date | null }>
  >`
    select keys.id, keys.name, email, keys.created_at, expires_at, last_used_at
    from command_line_keys keys join integrators on integrators.id = integrator_id
    where application_id = ${applicationId} and expires_at > now() order by keys.id desc`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    madeBy: row.email,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  }))
}

export type LiveKey = { id: string; applicationId: string }

/** Once a minute is enough to see whether a key is still in use. */
export async function useKey(db: Db, key: string): Promise<LiveKey | null> {
  const hash = secretHash(key)
  const [row] = await db<Array<{ id: string; application_id: string }>>`
    select id, application_id from command_line_keys where key_hash = ${hash} and expires_at > now()`
  if (row === undefined) return null
  await db`
    update command_line_keys set last_used_at = now()
    where id = ${row.id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
  return { id: row.id, applicationId: row.application_id }
}

/** By a member of the team. Its tokens end within a second, by a trigger of the table. */
export async function revokeKey(
  db: Db,
  revoked: { teamId: string; applicationId: string; keyId: string },
  doing: Doing,
): Promise<'revoked' | 'unknown'> {
  const { applicationId, keyId } = revoked
  return transaction(db, async (tx) => {
    if ((await holdTeamApplication(tx, revoked, doing, 'key.change')) === null) return 'unknown'
    const deleted = await tx<Array<{ name: string }>>`
      delete from command_line_keys where id = ${keyId} and application_id = ${applicationId} returning name`
    const [key] = deleted
    if (key === undefined) return 'unknown'
    await appendRevoked(tx, revoked, key.name, doing)
    return 'revoked'
  })
}

/** By the command that holds it, which speaks for whoever allowed it. Answers whether there was such a key. */
export async function giveKeyBack(db: Db, key: string, requestId: string): Promise<boolean> {
  return transaction(db, async (tx) => {
    const [row] = await tx<
      Array<{ name: string; application_id: string; team_id: string; integrator_id: string; email: string }>
    >`
      delete from command_line_keys keys using applications, integrators
      where key_hash = ${secretHash(key)} and applications.id = application_id and integrators.id = integrator_id
      returning keys.name, application_id, team_id, integrator_id, email`
    if (row === undefined) return false
    const doing: Doing = { actor: { kind: 'integrator', id: row.integrator_id, name: row.email }, requestId }
    await appendRevoked(tx, { teamId: row.team_id, applicationId: row.application_id }, row.name, doing)
    return true
  })
}

async function appendRevoked(
  tx: DbOrTransaction,
  { teamId, applicationId }: { teamId: string; applicationId: string },
  computer: string,
  doing: Doing,
): Promise<void> {
  const [row] = await tx<Array<{ name: string }>>`select name from applications where id = ${applicationId}`
  const named = { application: row?.name ?? '' }
  await appendAudit(tx, {
    ...doing,
    action: 'key.revoked',
    teamId,
    applicationId,
    before: { ...named, computer },
    after: named,
  })
}

export async function forgetExpiredKeys(db: Db): Promise<void> {
  await db`delete from command_line_keys where expires_at < now()`
}
