import type { DbOrTransaction } from '../../platform/db.ts'
import { foldLogin } from '../users/user.ts'
import type { Account, AccountKind } from './account-kind.ts'

export async function findAccount(db: DbOrTransaction, { tables }: AccountKind, id: string): Promise<Account | null> {
  const [row] = await db<Account[]>`select id, email, name from ${db(tables.accounts)} where id = ${id}`
  return row ? { id: row.id, email: row.email, name: row.name } : null
}

/** `passwordHash` is null for an account whose owner has not chosen a password yet. */
export async function findAccountByEmail(
  db: DbOrTransaction,
  { tables }: AccountKind,
  email: string,
): Promise<{ account: Account; passwordHash: string | null } | null> {
  const [row] = await db<Array<Account & { password_hash: string | null }>>`
    select id, email, name, password_hash from ${db(tables.accounts)} where email_folded = ${foldLogin(email)}`
  return row ? { account: { id: row.id, email: row.email, name: row.name }, passwordHash: row.password_hash } : null
}

/** Whether this is the account's password hash at this moment. */
export async function hasPasswordHash(
  db: DbOrTransaction,
  { tables }: AccountKind,
  id: string,
  passwordHash: string,
): Promise<boolean> {
  const found = await db`
    select 1 from ${db(tables.accounts)} where id = ${id} and password_hash = ${passwordHash}`
  return found.length === 1
}

/** Answers the name before. */
export async function renameAccount(
  tx: DbOrTransaction,
  { tables }: AccountKind,
  id: string,
  name: string,
): Promise<string | null> {
  const [row] = await tx<Array<{ before: string }>>`
    with held as (select id, name from ${tx(tables.accounts)} where id = ${id} for update)
    update ${tx(tables.accounts)} as accounts set name = ${name}, updated_at = now() from held where accounts.id = held.id
    returning held.name as before`
  return row?.before ?? null
}

/**
 * A new password, and everything that the old one opened is over: sessions but the one that asks, sign-ins that wait for a
 * one-time code, and links that set yet another one (decision B22).
 */
export async function replaceAccountPassword(
  tx: DbOrTransaction,
  { tables, owner }: AccountKind,
  { id, passwordHash, exceptSid }: { id: string; passwordHash: string; exceptSid: string | null },
): Promise<void> {
  await tx`update ${tx(tables.accounts)} set password_hash = ${passwordHash}, updated_at = now() where id = ${id}`
  await tx`update ${tx(tables.resets)} set used_at = now() where ${tx(owner)} = ${id} and used_at is null`
  await tx`delete from ${tx(tables.pendingSignIns)} where ${tx(owner)} = ${id}`
  await tx`
    update ${tx(tables.sessions)} set ended_at = now()
    where ${tx(owner)} = ${id} and ended_at is null and sid is distinct from ${exceptSid}`
}
