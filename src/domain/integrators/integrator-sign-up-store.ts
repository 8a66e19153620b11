import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import { CODE_ATTEMPTS, CODE_SECONDS, codeHash } from '../users/sign-up-store.ts'
import type { Integrator } from './integrator.ts'
import { insertIntegrator } from './integrator-store.ts'

const SIGN_UP_SECONDS = 30 * 60

/** What waits for its code. `invitation` is the secret of the link that led here, if one did. */
export type WaitingSignUp = { name: string; email: string; passwordHash: string; invitation: string | null }

/** `code` is null for an address that has an account: everything is as for any other, but no code will ever be right. */
export async function keepIntegratorSignUp(
  db: Db,
  cipher: Cipher,
  browser: string,
  details: WaitingSignUp,
  code: string | null,
): Promise<void> {
  const sealed = cipher.encrypt(JSON.stringify(details), contextOf(browser))
  await db`
    insert into integrator_sign_ups (browser_hash, code_hash, code_expires_at, details_sealed, expires_at)
    values (${secretHash(browser)}, ${codeHash(browser, code)}, now() + make_interval(secs => ${CODE_SECONDS}), ${sealed},
            now() + make_interval(secs => ${SIGN_UP_SECONDS}))
    on conflict (browser_hash) do update set
      code_hash = excluded.code_hash, code_expires_at = excluded.code_expires_at, attempts = 0,
      details_sealed = excluded.details_sealed, expires_at = excluded.expires_at`
}

export async function findIntegratorSignUp(db: Db, cipher: Cipher, browser: string): Promise<WaitingSignUp | null> {
  const [row] = await db<Array<{ details_sealed: Buffer }>>`
    select details_sealed from integrator_sign_ups where browser_hash = ${secretHash(browser)} and expires_at > now()`
  return row ? openDetails(cipher, browser, row.details_sealed) : null
}

/** Another code in place of the one before, with as many attempts. */
export async function replaceIntegratorCode(db: Db, browser: string, code: string | null): Promise<void> {
  await db`
    update integrator_sign_ups set code_hash = ${codeHash(browser, code)}, attempts = 0,
      code_expires_at = now() + make_interval(secs => ${CODE_SECONDS})
    where browser_hash = ${secretHash(browser)} and expires_at > now()`
}

export type IntegratorCodeOutcome =
  | { outcome: 'right'; integrator: Integrator }
  | { outcome: 'wrong'; attemptsLeft: number }
  /** Tried too often, or too late. */
  | { outcome: 'spent' }
  /** The same code came twice at once, and the other one was first. */
  | { outcome: 'done' }
  /** Since the code was sent somebody made an account with the address. */
  | { outcome: 'taken' }

/**
 * An attempt is counted before it is judged, in one statement. `welcome` does what else a newcomer gets, in the transaction
 * that makes the account: nobody is left without a team.
 */
export async function finishIntegratorSignUp(
  db: Db,
  cipher: Cipher,
  browser: string,
  code: string,
  welcome: (tx: DbOrTransaction, integrator: Integrator, invitation: string | null) => Promise<void>,
): Promise<IntegratorCodeOutcome> {
  const [tried] = await db<Array<{ right: boolean; attempts: number; details_sealed: Buffer }>>`
    update integrator_sign_ups set attempts = attempts + 1
    where browser_hash = ${secretHash(browser)} and expires_at > now() and code_expires_at > now()
      and attempts < ${CODE_ATTEMPTS}
    returning code_hash = ${codeHash(browser, code)} as right, attempts, details_sealed`
  if (!tried) return { outcome: (await isWaiting(db, browser)) ? 'spent' : 'done' }
  if (!tried.right) return { outcome: 'wrong', attemptsLeft: CODE_ATTEMPTS - tried.attempts }
  const { name, email, passwordHash, invitation } = openDetails(cipher, browser, tried.details_sealed)
  const integrator = { id: newId('int'), name, email }
  return transaction(db, async (tx): Promise<IntegratorCodeOutcome> => {
    const taken = await tx`delete from integrator_sign_ups where browser_hash = ${secretHash(browser)} returning 1`
    if (taken.length === 0) return { outcome: 'done' }
    if (!(await insertIntegrator(tx, { ...integrator, passwordHash }))) return { outcome: 'taken' }
    await welcome(tx, integrator, invitation)
    return { outcome: 'right', integrator }
  })
}

async function isWaiting(db: Db, browser: string): Promise<boolean> {
  const found = await db`select 1 from integrator_sign_ups where browser_hash = ${secretHash(browser)}`
  return found.length > 0
}

export async function forgetOldIntegratorSignUps(db: Db): Promise<void> {
  await db`
    delete from integrator_sign_ups where browser_hash in
      (select browser_hash from integrator_sign_ups where expires_at < now() order by expires_at limit 5000)`
}

function openDetails(cipher: Cipher, browser: string, sealed: Buffer): WaitingSignUp {
  const details: WaitingSignUp = JSON.parse(cipher.decrypt(sealed, contextOf(browser)).toString())
  return details
}

/** Authenticated with the ciphertext: details open only for the browser they were typed in. */
function contextOf(browser: string): string {
  return `integrator sign-up ${secretHash(browser).toString('base64url')}`
}
