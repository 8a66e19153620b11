import type { Db } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { User } from '../users/user.ts'
import { type UserRow, userFromRow } from '../users/user-row.ts'
import { userColumns } from '../users/user-store.ts'
import { forgetBrowsers, rememberBrowser } from './known-browser-store.ts'
import { replacePassword } from './new-password-store.ts'

export const RESET_SECONDS = 15 * 60

/**
 * Answers the secret of a link that sets one new password, to be mailed to this address; null when it has become another one
 * since it was read, because the marketplace changed it: a link must never go to an address that is not theirs any more.
 */
export async function startReset(db: Db, { id, email }: Pick<User, 'id' | 'email'>): Promise<string | null> {
  const secret = newOpaqueSecret()
  const started = await db`
    insert into password_resets (secret_hash, user_id, expires_at)
    select ${secretHash(secret)}, id, now() + make_interval(secs => ${RESET_SECONDS})
    from users where id = ${id} and email = ${email} and blocked_at is null for share
    returning 1`
  return started.length === 1 ? secret : null
}

/** Whose link it is, as long as it is good. Looking does not use it up: mail programs open links before people do. */
export async function findReset(db: Db, secret: string): Promise<User | null> {
  const [row] = await db<UserRow[]>`
    select ${userColumns(db)} from password_resets join users on users.id = user_id and users.blocked_at is null
    where secret_hash = ${secretHash(secret)} and used_at is null and expires_at > now()`
  return row ? userFromRow(row) : null
}

/**
 * Uses a link. One statement decides between uses at the same moment. Who opened it reads that mail, so the address is
 * verified, and this browser counts as theirs, and no other: guesses from elsewhere do not keep them out.
 */
export async function usePasswordReset(
  db: Db,
  { secret, passwordHash, browser }: { secret: string; passwordHash: string; browser: string },
): Promise<User | null> {
  return transaction(db, async (tx) => {
    // The person first: two links of the same person, each holding its own, would wait for each other.
    await tx`
      select 1 from users
      where id in (select user_id from password_resets where secret_hash = ${secretHash(secret)}) for update`
    const [row] = await tx<UserRow[]>`
      with used as (
        update password_resets set used_at = now()
        where secret_hash = ${secretHash(secret)} and used_at is null and expires_at > now()
        returning user_id
      )
      update users set email_verified = true from used where users.id = used.user_id and users.blocked_at is null
      returning ${userColumns(tx)}`
    if (!row) return null
    await replacePassword(tx, { userId: row.id, passwordHash, exceptSid: null })
    await forgetBrowsers(tx, row.id)
    await rememberBrowser(tx, row.id, browser)
    return userFromRow(row)
  })
}

export async function forgetOldResets(db: Db): Promise<void> {
  await db`
    delete from password_resets where secret_hash in
      (select secret_hash from password_resets where expires_at < now() order by expires_at limit 5000)`
}
