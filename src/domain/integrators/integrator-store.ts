import type { DbOrTransaction } from '../../platform/db.ts'
import { foldLogin } from '../users/user.ts'
import type { Integrator } from './integrator.ts'

/** Answers whether the account is new; an address that has one is left as it is. */
export async function insertIntegrator(
  tx: DbOrTransaction,
  { id, email, name, passwordHash }: Integrator & { passwordHash: string },
): Promise<boolean> {
  const inserted = await tx`
    insert into integrators (id, email, email_folded, name, password_hash)
    values (${id}, ${email}, ${foldLogin(email)}, ${name}, ${passwordHash})
    on conflict do nothing returning 1`
  return inserted.length === 1
}

export async function findIntegratorByEmail(
  db: DbOrTransaction,
  email: string,
): Promise<{ integrator: Integrator; passwordHash: string } | null> {
  const [row] = await db<Array<Integrator & { password_hash: string }>>`
    select id, email, name, password_hash from integrators where email_folded = ${foldLogin(email)}`
  return row ? { integrator: { id: row.id, email: row.email, name: row.name }, passwordHash: row.password_hash } : null
}

export async function findIntegrator(db: DbOrTransaction, id: string): Promise<Integrator | null> {
  const [row] = await db<Integrator[]>`select id, email, name from integrators where id = ${id}`
  return row ? { id: row.id, email: row.email, name: row.name } : null
}

/** Whether this is the account's password hash at this moment. */
export async function hasIntegratorPassword(db: DbOrTransaction, id: string, passwordHash: string): Promise<boolean> {
  const found = await db`select 1 from integrators where id = ${id} and password_hash = ${passwordHash}`
  return found.length === 1
}

/** Answers the name before. */
export async function renameIntegrator(tx: DbOrTransaction, id: string, name: string): Promise<string | null> {
  const [row] = await tx<Array<{ before: string }>>`
    with held as (select id, name from integrators where id = ${id} for update)
    update integrators set name = ${name}, updated_at = now() from held where integrators.id = held.id
    returning held.name as before`
  return row?.before ?? null
}

/**
 * A new password, and everything that the old one opened is over: sessions but the one that asks, sign-ins that wait for a
 * one-time code, and links that were mailed to set yet another one (decision B22).
 */
export async function replaceIntegratorPassword(
  tx: DbOrTransaction,
  { id, passwordHash, exceptSid }: { id: string; passwordHash: string; exceptSid: string | null },
): Promise<void> {
  await tx`update integrators set password_hash = ${passwordHash}, updated_at = now() where id = ${id}`
  await tx`update integrator_password_resets set used_at = now() where integrator_id = ${id} and used_at is null`
  await tx`delete from integrator_pending_sign_ins where integrator_id = ${id}`
  await tx`
    update integrator_sessions set ended_at = now()
    where integrator_id = ${id} and ended_at is null and sid is distinct from ${exceptSid}`
}
