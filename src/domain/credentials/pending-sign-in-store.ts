import type { Db } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import type { AccountKind } from './account-kind.ts'

/** How long a right password waits for its one-time code. */
const PENDING_SECONDS = 5 * 60

/** One for each browser: whose password was right there last. There is no session before the code. */
export async function keepPendingAccount(
  db: Db,
  { tables, owner }: AccountKind,
  browser: string,
  id: string,
): Promise<void> {
  await db`
    insert into ${db(tables.pendingSignIns)} (browser_hash, ${db(owner)}, expires_at)
    values (${secretHash(browser)}, ${id}, now() + make_interval(secs => ${PENDING_SECONDS}))
    on conflict (browser_hash) do update
      set ${db(owner)} = ${db(`excluded.${owner}`)}, expires_at = excluded.expires_at`
}

export async function findPendingAccount(
  db: Db,
  { tables, owner }: AccountKind,
  browser: string,
): Promise<string | null> {
  const [row] = await db<Array<{ account_id: string }>>`
    select ${db(owner)} as account_id from ${db(tables.pendingSignIns)}
    where browser_hash = ${secretHash(browser)} and expires_at > now()`
  return row?.account_id ?? null
}

/** Answers whether it was still there: a new password in between ends it. */
export async function endPendingAccount(
  db: Db,
  { tables, owner }: AccountKind,
  browser: string,
  id: string,
): Promise<boolean> {
  const ended = await db`
    delete from ${db(tables.pendingSignIns)}
    where browser_hash = ${secretHash(browser)} and ${db(owner)} = ${id} and expires_at > now() returning 1`
  return ended.length === 1
}

export async function forgetPendingAccounts(db: Db, { tables }: AccountKind): Promise<void> {
  await db`
    delete from ${db(tables.pendingSignIns)} where browser_hash in
      (select browser_hash from ${db(tables.pendingSignIns)} where expires_at < now() order by expires_at limit 5000)`
}
