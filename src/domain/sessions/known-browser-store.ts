import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { foldLogin } from '../users/user.ts'

/** Whether the person signed in with this browser before: then guesses from elsewhere do not lock them out (decision B18). */
export async function isKnownBrowser(db: Db, login: string, browser: string): Promise<boolean> {
  const folded = foldLogin(login)
  const found = await db`
    select 1 from known_browsers join users on users.id = user_id
    where browser_hash = ${secretHash(browser)} and (email_folded = ${folded} or username_folded = ${folded})`
  return found.length > 0
}

export async function rememberBrowser(tx: DbOrTransaction, userId: string, browser: string): Promise<void> {
  await tx`
    insert into known_browsers (user_id, browser_hash) values (${userId}, ${secretHash(browser)})
    on conflict (user_id, browser_hash) do update set seen_at = now()`
}

export async function hasSignedInWith(db: Db, userId: string, browser: string): Promise<boolean> {
  const found =
    await db`select 1 from known_browsers where user_id = ${userId} and browser_hash = ${secretHash(browser)}`
  return found.length > 0
}

export async function forgetBrowsers(tx: DbOrTransaction, userId: string): Promise<void> {
  await tx`delete from known_browsers where user_id = ${userId}`
}
