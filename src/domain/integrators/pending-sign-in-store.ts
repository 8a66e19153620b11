import type { Db } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'

/** How long a right password waits for its one-time code. */
const PENDING_SECONDS = 5 * 60

/** One for each browser: whose password was right there last. There is no session before the code. */
export async function keepPendingSignIn(db: Db, browser: string, integratorId: string): Promise<void> {
  await db`
    insert into integrator_pending_sign_ins (browser_hash, integrator_id, expires_at)
    values (${secretHash(browser)}, ${integratorId}, now() + make_interval(secs => ${PENDING_SECONDS}))
    on conflict (browser_hash) do update set integrator_id = excluded.integrator_id, expires_at = excluded.expires_at`
}

export async function findPendingSignIn(db: Db, browser: string): Promise<string | null> {
  const [row] = await db<Array<{ integrator_id: string }>>`
    select integrator_id from integrator_pending_sign_ins
    where browser_hash = ${secretHash(browser)} and expires_at > now()`
  return row?.integrator_id ?? null
}

/** Answers whether it was still there: a new password in between ends it. */
export async function endPendingSignIn(db: Db, browser: string, integratorId: string): Promise<boolean> {
  const ended = await db`
    delete from integrator_pending_sign_ins
    where browser_hash = ${secretHash(browser)} and integrator_id = ${integratorId} and expires_at > now() returning 1`
  return ended.length === 1
}

export async function forgetPendingSignIns(db: Db): Promise<void> {
  await db`
    delete from integrator_pending_sign_ins where browser_hash in
      (select browser_hash from integrator_pending_sign_ins where expires_at < now() order by expires_at limit 5000)`
}
