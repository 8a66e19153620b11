import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AuditAction, AuditState, Doing } from '../audit/audit.ts'
import { appendAudit } from '../audit/audit-store.ts'
import { startAccountReset } from '../credentials/account-reset-store.ts'
import { endOtherAccountSessions } from '../credentials/account-session-store.ts'
import { removeAccountTotp } from '../credentials/account-totp-store.ts'
import { foldLogin } from '../users/user.ts'
import { STAFF, STAFF_LINK_SECONDS, type StaffMember } from './staff.ts'

/** Answers the secret of the link with which the newcomer chooses a password; null when the address has an account. */
export async function addStaff(
  db: Db,
  { email, name }: Pick<StaffMember, 'email' | 'name'>,
  doing: Doing,
): Promise<{ id: string; secret: string } | null> {
  return transaction(db, async (tx) => {
    const id = newId('stf')
    if (!(await insertStaff(tx, { id, email, name, passwordHash: null }))) return null
    await note(tx, 'staff.added', doing, null, { email, name })
    return { id, secret: await startAccountReset(tx, STAFF, id, STAFF_LINK_SECONDS) }
  })
}

/** Answers whether the account is new; an address that has one is left as it is. */
export async function insertStaff(
  tx: DbOrTransaction,
  { id, email, name, passwordHash }: StaffMember & { passwordHash: string | null },
): Promise<boolean> {
  const inserted = await tx`
    insert into staff (id, email, email_folded, name, password_hash)
    values (${id}, ${email}, ${foldLogin(email)}, ${name}, ${passwordHash}) on conflict do nothing returning 1`
  return inserted.length === 1
}

/**
 * Another link, and the ones before are good no more. The account is closed until it is used: nobody knows who asks for a
 * reset because of a thief. Answers null when there is no such account.
 */
export async function resetStaff(
  db: Db,
  email: string,
  { withoutSecondFactor }: { withoutSecondFactor: boolean },
  doing: Doing,
): Promise<string | null> {
  return transaction(db, async (tx) => {
    const [member] = await tx<Array<{ id: string; email: string }>>`
      update staff set password_hash = null, updated_at = now() where email_folded = ${foldLogin(email)}
      returning id, email`
    if (!member) return null
    await endOtherAccountSessions(tx, STAFF, member.id, null)
    await tx`delete from staff_pending_sign_ins where staff_id = ${member.id}`
    await tx`update staff_password_resets set used_at = now() where staff_id = ${member.id} and used_at is null`
    const removed = withoutSecondFactor && (await removeAccountTotp(tx, STAFF, member.id))
    await note(tx, 'staff.reset', doing, null, { email: member.email, secondFactorRemoved: removed })
    return startAccountReset(tx, STAFF, member.id, STAFF_LINK_SECONDS)
  })
}

/** Everything of the account goes with it, sessions included. What it did stays in the audit log. */
export async function removeStaff(db: Db, email: string, doing: Doing): Promise<boolean> {
  return transaction(db, async (tx) => {
    const [gone] = await tx<Array<{ email: string; name: string }>>`
      delete from staff where email_folded = ${foldLogin(email)} returning email, name`
    if (gone) await note(tx, 'staff.removed', doing, { email: gone.email, name: gone.name }, null)
    return gone !== undefined
  })
}

export type StaffSummary = StaffMember & {
  createdAt: Date
  lastSeenAt: Date | null
  hasPassword: boolean
  secondFactor: boolean
}

export async function listStaff(db: Db): Promise<StaffSummary[]> {
  const rows = await db<
    Array<{
      id: string
      email: string
      name: string
      created_at: Date
      last_seen_at: Date | null
      has_password: boolean
      second_factor: boolean
    }>
  >`
    select id, email, name, created_at, password_hash is not null as has_password,
           (select max(last_seen_at) from staff_sessions where staff_id = staff.id) as last_seen_at,
           exists (select 1 from staff_totp_secrets where staff_id = staff.id) as second_factor
    from staff order by email_folded`
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    hasPassword: row.has_password,
    secondFactor: row.second_factor,
  }))
}

async function note(
  tx: DbOrTransaction,
  action: AuditAction,
  doing: Doing,
  before: AuditState | null,
  after: AuditState | null,
): Promise<void> {
  await appendAudit(tx, { ...doing, action, teamId: null, applicationId: null, before, after })
}
