import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newOpaqueSecret, secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { RESET_SECONDS } from '../sessions/password-reset-store.ts'
import type { Integrator } from './integrator.ts'
import { replaceIntegratorPassword } from './integrator-store.ts'

/** Answers the secret of a link that sets one new password (decision B22). */
export async function startIntegratorReset(db: Db, integratorId: string): Promise<string> {
  const secret = newOpaqueSecret()
  await db`
    insert into integrator_password_resets (secret_hash, integrator_id, expires_at)
    values (${secretHash(secret)}, ${integratorId}, now() + make_interval(secs => ${RESET_SECONDS}))`
  return secret
}

/** Whose link it is, as long as it is good. Looking does not use it up: mail programs open links before people do. */
export async function findIntegratorReset(db: Db, secret: string): Promise<Integrator | null> {
  const [row] = await db<Integrator[]>`
    select id, email, name from integrator_password_resets join integrators on integrators.id = integrator_id
    where secret_hash = ${secretHash(secret)} and used_at is null and expires_at > now()`
  return row ? { id: row.id, email: row.email, name: row.name } : null
}

/** Uses a link; one statement decides between uses at the same moment. This browser counts as theirs, and no other. */
export async function useIntegratorReset(
  db: Db,
  { secret, passwordHash, browser }: { secret: string; passwordHash: string; browser: string },
  note: (tx: DbOrTransaction, integrator: Integrator) => Promise<void>,
): Promise<Integrator | null> {
  return transaction(db, async (tx) => {
    // The account first: two links of the same person, each holding its own, would wait for each other.
    const [row] = await tx<Integrator[]>`
      select id, email, name from integrators
      where id in (select integrator_id from integrator_password_resets where secret_hash = ${secretHash(secret)}) for update`
    const used = await tx`
      update integrator_password_resets set used_at = now()
      where secret_hash = ${secretHash(secret)} and used_at is null and expires_at > now() returning 1`
    if (!row || used.length === 0) return null
    const integrator = { id: row.id, email: row.email, name: row.name }
    await replaceIntegratorPassword(tx, { id: row.id, passwordHash, exceptSid: null })
    await tx`delete from integrator_browsers where integrator_id = ${row.id}`
    await tx`insert into integrator_browsers (integrator_id, browser_hash) values (${row.id}, ${secretHash(browser)})`
    await note(tx, integrator)
    return integrator
  })
}

export async function forgetOldIntegratorResets(db: Db): Promise<void> {
  await db`
    delete from integrator_password_resets where secret_hash in
      (select secret_hash from integrator_password_resets where expires_at < now() order by expires_at limit 5000)`
}
