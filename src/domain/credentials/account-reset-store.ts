import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Account, AccountKind } from './account-kind.ts'
import { replaceAccountPassword } from './account-store.ts'

/** Answers the secret of a link that sets one new password (decision B22). */
export async function startAccountReset(
  tx: DbOrTransaction,
  { tables, owner }: AccountKind,
  id: string,
  seconds: number,
): Promise<string> {
  const secret = newOpaqueSecret()
  await tx`
    insert into ${tx(tables.resets)} (secret_hash, ${tx(owner)}, expires_at)
    values (${secretHash(secret)}, ${id}, now() + make_interval(secs => ${seconds}))`
  return secret
}

/** Whose link it is, as long as it is good. Looking does not use it up: mail programs open links before people do. */
export async function findAccountReset(
  db: Db,
  { tables, owner }: AccountKind,
  secret: string,
): Promise<Account | null> {
  const [row] = await db<Account[]>`
    select id, email, name from ${db(tables.resets)} join ${db(tables.accounts)} as accounts on accounts.id = ${db(owner)}
    where secret_hash = ${secretHash(secret)} and used_at is null and expires_at > now()`
  return row ? { id: row.id, email: row.email, name: row.name } : null
}

/** Uses a link; one statement decides between uses at the same moment. This browser counts as theirs, and no other. */
export async function useAccountReset(
  db: Db,
  kind: AccountKind,
  { secret, passwordHash, browser }: { secret: string; passwordHash: string; browser: string },
  note: (tx: DbOrTransaction, account: Account) => Promise<void>,
): Promise<Account | null> {
  const { tables, owner } = kind
  return transaction(db, async (tx) => {
    // The account first: two links of the same person, each holding its own, would wait for each other.
    const [row] = await tx<Account[]>`
      select id, email, name from ${tx(tables.accounts)}
      where id in (select ${tx(owner)} from ${tx(tables.resets)} where secret_hash = ${secretHash(secret)}) for update`
    const used = await tx`
      update ${tx(tables.resets)} set used_at = now()
      where secret_hash = ${secretHash(secret)} and used_at is null and expires_at > now() returning 1`
    if (!row || used.length === 0) return null
    const account = { id: row.id, email: row.email, name: row.name }
    await replaceAccountPassword(tx, kind, { id: row.id, passwordHash, exceptSid: null })
    await tx`delete from ${tx(tables.browsers)} where ${tx(owner)} = ${row.id}`
    await tx`
      insert into ${tx(tables.browsers)} (${tx(owner)}, browser_hash) values (${row.id}, ${secretHash(browser)})`
    await note(tx, account)
    return account
  })
}

export async function forgetOldAccountResets(db: Db, { tables }: AccountKind): Promise<void> {
  await db`
    delete from ${db(tables.resets)} where secret_hash in
      (select secret_hash from ${db(tables.resets)} where expires_at < now() order by expires_at limit 5000)`
}
