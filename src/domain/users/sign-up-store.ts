import { createHmac, randomBytes, randomInt } from 'node:crypto'
import type { Cipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import { transaction } from '../../platform/transaction.ts'
import type { NewPerson } from './sign-up.ts'
import { foldLogin } from './user.ts'
import { insertUser } from './user-store.ts'

export const CODE_SECONDS = 15 * 60
export const CODE_ATTEMPTS = 5
/** As long as the interaction it belongs to: another code can be asked for without typing everything again. */
const SIGN_UP_SECONDS = 30 * 60

/** What waits for its code; sealed, because the person does not exist yet. */
export type SignUpDetails = Omit<NewPerson, 'password'> & { passwordHash: string }

/** One browser's interaction; its secret is the sign-up's too, so that each has one sign-up at most. */
export type SignUpPlace = { secret: string; browser: string }

export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** `code` is null for an address that has an account: everything is as for any other, but no code will ever be right. */
export async function keepSignUp(
  db: Db,
  cipher: Cipher,
  { secret, browser }: SignUpPlace,
  details: SignUpDetails,
  code: string | null,
): Promise<void> {
  const sealed = cipher.encrypt(JSON.stringify(details), contextOf(secret))
  await db`
    insert into sign_ups (secret_hash, browser_hash, code_hash, code_expires_at, details_sealed, expires_at)
    values (${secretHash(secret)}, ${secretHash(browser)}, ${codeHash(secret, code)},
            now() + make_interval(secs => ${CODE_SECONDS}), ${sealed}, now() + make_interval(secs => ${SIGN_UP_SECONDS}))
    on conflict (secret_hash) do update set
      browser_hash = excluded.browser_hash, code_hash = excluded.code_hash, code_expires_at = excluded.code_expires_at,
      details_sealed = excluded.details_sealed, expires_at = excluded.expires_at, attempts = 0`
}

export async function findSignUp(
  db: Db,
  cipher: Cipher,
  { secret, browser }: SignUpPlace,
): Promise<SignUpDetails | null> {
  const [row] = await db<Array<{ details_sealed: Buffer }>>`
    select details_sealed from sign_ups
    where secret_hash = ${secretHash(secret)} and browser_hash = ${secretHash(browser)} and expires_at > now()`
  return row ? openDetails(cipher, secret, row.details_sealed) : null
}

/** Another code in place of the one before, with as many attempts. */
export async function replaceCode(db: Db, { secret, browser }: SignUpPlace, code: string | null): Promise<void> {
  await db`
    update sign_ups set code_hash = ${codeHash(secret, code)}, attempts = 0,
      code_expires_at = now() + make_interval(secs => ${CODE_SECONDS})
    where secret_hash = ${secretHash(secret)} and browser_hash = ${secretHash(browser)} and expires_at > now()`
}

export type CodeOutcome =
  | { outcome: 'right'; userId: string }
  | { outcome: 'wrong'; attemptsLeft: number }
  /** Tried too often, or too late. */
  | { outcome: 'spent' }
  /** The same code came twice at once, and the other one was first. */
  | { outcome: 'done' }
  /** Since the code was sent somebody made an account with the address or took the username. */
  | { outcome: 'email-taken' | 'username-taken'; details: SignUpDetails }

/** An attempt is counted before it is judged, in one statement: guesses at the same moment are counted one by one. */
export async function finishSignUp(db: Db, cipher: Cipher, place: SignUpPlace, code: string): Promise<CodeOutcome> {
  const { secret, browser } = place
  const [tried] = await db<Array<{ right: boolean; attempts: number; details_sealed: Buffer }>>`
    update sign_ups set attempts = attempts + 1
    where secret_hash = ${secretHash(secret)} and browser_hash = ${secretHash(browser)}
      and expires_at > now() and code_expires_at > now() and attempts < ${CODE_ATTEMPTS}
    returning code_hash = ${codeHash(secret, code)} as right, attempts, details_sealed`
  if (!tried) return { outcome: (await isWaiting(db, secret)) ? 'spent' : 'done' }
  if (!tried.right) return { outcome: 'wrong', attemptsLeft: CODE_ATTEMPTS - tried.attempts }
  return insertNewcomer(db, secret, openDetails(cipher, secret, tried.details_sealed))
}

async function insertNewcomer(db: Db, secret: string, details: SignUpDetails): Promise<CodeOutcome> {
  const userId = newId('usr')
  return transaction(db, async (tx): Promise<CodeOutcome> => {
    const taken = await tx`delete from sign_ups where secret_hash = ${secretHash(secret)} returning 1`
    if (taken.length === 0) return { outcome: 'done' }
    // The code came to that address and back: it is the person's own.
    const person = { ...details, id: userId, picture: null, emailVerified: true, phoneNumberVerified: false }
    if (await insertUser(tx, person)) return { outcome: 'right', userId }
    const known = await tx`select 1 from users where email_folded = ${foldLogin(details.email)}`
    return { outcome: known.length > 0 ? 'email-taken' : 'username-taken', details }
  })
}

async function isWaiting(db: Db, secret: string): Promise<boolean> {
  const found = await db`select 1 from sign_ups where secret_hash = ${secretHash(secret)}`
  return found.length > 0
}

/** Null when no account has the address; else the address as its owner wrote it. */
export async function knownAddress(db: Db, email: string): Promise<string | null> {
  const [row] = await db<Array<{ email: string | null }>>`
    select (select email from users where email_folded = ${foldLogin(email)}) as email`
  return row?.email ?? null
}

export async function isUsernameTaken(db: Db, username: string): Promise<boolean> {
  const found = await db`select 1 from users where username_folded = ${foldLogin(username)}`
  return found.length > 0
}

export async function forgetOldSignUps(db: Db): Promise<void> {
  await db`
    delete from sign_ups where secret_hash in
      (select secret_hash from sign_ups where expires_at < now() order by expires_at limit 5000)`
}

/** `code` null: no code will ever be right. */
export function codeHash(secret: string, code: string | null): Buffer {
  return code === null ? randomBytes(32) : createHmac('sha256', secret).update(code).digest()
}

function openDetails(cipher: Cipher, secret: string, sealed: Buffer): SignUpDetails {
  const details: SignUpDetails = JSON.parse(cipher.decrypt(sealed, contextOf(secret)).toString())
  return details
}

/** Authenticated with the ciphertext: details open only for the interaction they were typed in. */
function contextOf(secret: string): string {
  return `sign-up ${secretHash(secret).toString('base64url')}`
}
