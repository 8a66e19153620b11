import { announce } from '../../platform/announcements.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../../platform/db.ts'
import type { JwtAlgorithm } from '../../platform/jwt.ts'
import { transaction } from '../../platform/transaction.ts'
import {
  EVERY_PROCESS_KNOWS_SECONDS,
  generateKey,
  PUBLISHED_AFTER_SECONDS,
  PUBLISHED_AHEAD_SECONDS,
  type PublicJwk,
  SIGNING_ALGORITHMS,
  SIGNS_FOR_SECONDS,
  type SigningKey,
} from './signing-key.ts'

/** Makers of keys take turns, so that many processes at once make one key, not many. */
export const KEY_LOCK = 4_861_766_102

type Row = {
  kid: string
  algorithm: JwtAlgorithm
  public_jwk: PublicJwk
  private_key: Buffer | null
  signs_from: Date
  signs_until: Date | null
  published_until: Date | null
}

/** Every key that is or will be published; the private half only where it can still sign. */
export async function readSigningKeys(
  db: Db,
  cipher: Cipher,
): Promise<Array<SigningKey & { privateKey: Buffer | null }>> {
  const rows = await db<Row[]>`
    select kid, algorithm, public_jwk, private_key, signs_from, signs_until, published_until
    from signing_keys where published_until is null or published_until > now()
    order by algorithm, signs_from`
  return rows.map((row) => ({
    kid: row.kid,
    algorithm: row.algorithm,
    publicJwk: row.public_jwk,
    signsFrom: row.signs_from,
    signsUntil: row.signs_until,
    publishedUntil: row.published_until,
    privateKey: row.private_key && cipher.decrypt(row.private_key, contextOf(row.kid)),
  }))
}

/** As people may see them: without the private half, which is not even read. */
export async function listSigningKeys(db: Db): Promise<Array<SigningKey & { createdAt: Date }>> {
  const rows = await db<Array<Omit<Row, 'private_key'> & { created_at: Date }>>`
    select kid, algorithm, public_jwk, signs_from, signs_until, published_until, created_at
    from signing_keys where published_until is null or published_until > now()
    order by algorithm, signs_from desc`
  return rows.map((row) => ({
    kid: row.kid,
    algorithm: row.algorithm,
    publicJwk: row.public_jwk,
    signsFrom: row.signs_from,
    signsUntil: row.signs_until,
    publishedUntil: row.published_until,
    createdAt: row.created_at,
  }))
}

/** First start: one key of each algorithm, signing at once. */
export async function ensureSigningKeys(db: Db, cipher: Cipher): Promise<void> {
  await inTurn(db, async (tx) => {
    for (const algorithm of SIGNING_ALGORITHMS) {
      const known = await tx`select 1 from signing_keys where algorithm = ${algorithm}`
      if (known.length === 0) await addKey(tx, cipher, await newKey(algorithm), 0)
    }
  })
}

/** The schedule: replaces what has signed long enough. Answers how many keys it made. */
export async function rotateDueKeys(db: Db, cipher: Cipher): Promise<number> {
  return inTurn(db, async (tx) => {
    const due = await tx<Array<{ algorithm: JwtAlgorithm }>>`
      select algorithm from signing_keys
      where signs_until is null and signs_from < now() - make_interval(secs => ${SIGNS_FOR_SECONDS - PUBLISHED_AHEAD_SECONDS})`
    for (const { algorithm } of due) await addKey(tx, cipher, await newKey(algorithm), PUBLISHED_AHEAD_SECONDS)
    await tx`update signing_keys set private_key = null where private_key is not null and signs_until < now() - interval '10 minutes'`
    return due.length
  })
}

/**
 * By command or by support: publishes a next key of each algorithm, unless one waits already; or replaces a lost one at once.
 * `note` writes it down in the same transaction, by the ids of the keys that were made.
 */
export async function rotateKeys(
  db: Db,
  cipher: Cipher,
  when: 'tomorrow' | 'now',
  note: (tx: DbOrTransaction, kids: readonly string[]) => Promise<void> = async () => {},
): Promise<number> {
  // Made beforehand, and the wait for the turn is added: until a key signs, every process has to have the whole time to hear of it.
  const made = await Promise.all(SIGNING_ALGORITHMS.map(newKey))
  return inTurn(db, async (tx) => {
    const added: string[] = []
    const [{ waited }] = await tx<[{ waited: number }]>`
      select extract(epoch from clock_timestamp() - now())::float8 as waited`
    for (const key of made) {
      const waiting = await tx`select 1 from signing_keys where algorithm = ${key.algorithm} and signs_from > now()`
      if (when === 'tomorrow' && waiting.length > 0) continue
      await addKey(tx, cipher, key, when === 'now' ? waited + EVERY_PROCESS_KNOWS_SECONDS : PUBLISHED_AHEAD_SECONDS)
      added.push(key.kid)
    }
    if (added.length > 0) await note(tx, added)
    return added.length
  })
}

export type KeyRemoval = 'removed' | 'unknown' | 'signs-still'

/** A key that leaked is trusted no more, and with it every token that it signed; one that still signs must be replaced first. */
export async function removeKey(db: Db, kid: string): Promise<KeyRemoval> {
  return inTurn(db, async (tx) => {
    const [key] = await tx<Array<{ signs: boolean }>>`
      select signs_until is null or signs_until > now() as signs from signing_keys
      where kid = ${kid} and (published_until is null or published_until > now())`
    if (!key) return 'unknown'
    if (key.signs) return 'signs-still'
    await tx`update signing_keys set published_until = now(), private_key = null where kid = ${kid}`
    await announce(tx, { topic: 'keys', key: kid, forSeconds: 3_600 })
    return 'removed'
  })
}

/** After a new master key: encrypts every private key again. Answers how many. */
export async function resealSigningKeys(tx: DbOrTransaction, cipher: Cipher): Promise<number> {
  const rows = await tx<Array<{ kid: string; private_key: Buffer }>>`
    select kid, private_key from signing_keys where private_key is not null for update`
  for (const { kid, private_key } of rows) {
    const sealed = cipher.encrypt(cipher.decrypt(private_key, contextOf(kid)), contextOf(kid))
    await tx`update signing_keys set private_key = ${sealed} where kid = ${kid}`
  }
  return rows.length
}

type NewKey = Awaited<ReturnType<typeof generateKey>> & { algorithm: JwtAlgorithm }

async function newKey(algorithm: JwtAlgorithm): Promise<NewKey> {
  return { algorithm, ...(await generateKey(algorithm)) }
}

async function addKey(
  tx: DbOrTransaction,
  cipher: Cipher,
  { algorithm, kid, publicJwk, privateKey }: NewKey,
  aheadSeconds: number,
): Promise<void> {
  const sealed = cipher.encrypt(privateKey, contextOf(kid))
  // A next key that still waits never signed anything: the new one takes its place.
  await tx`delete from signing_keys where algorithm = ${algorithm} and signs_from > now()`
  await tx`
    update signing_keys
    set signs_until = now() + make_interval(secs => ${aheadSeconds}),
        published_until = now() + make_interval(secs => ${aheadSeconds + PUBLISHED_AFTER_SECONDS})
    where algorithm = ${algorithm} and (signs_until is null or signs_until > now())`
  await tx`
    insert into signing_keys (kid, algorithm, public_jwk, private_key, signs_from)
    values (${kid}, ${algorithm}, ${tx.json(publicJwk)}, ${sealed}, now() + make_interval(secs => ${aheadSeconds}))`
  await announce(tx, { topic: 'keys', key: kid, forSeconds: 3_600 })
}

function inTurn<Value>(db: Db, work: (tx: DbOrTransaction) => Promise<Value>): Promise<Value> {
  return transaction(db, async (tx) => {
    await tx`select pg_advisory_xact_lock(${KEY_LOCK})`
    return work(tx)
  })
}

/** Authenticated with the ciphertext: a private key opens only in its own row. */
function contextOf(kid: string): string {
  return `signing key ${kid}`
}
