import { hash } from 'node:crypto'
import { byteaTexts } from '../../platform/bytea.ts'
import type { Cipher } from '../../platform/cipher.ts'
import type { DbOrTransaction } from '../../platform/db.ts'

const KEPT_HOURS = 24
const RESEALED_AT_ONCE = 1_000
const FORGOTTEN_AT_ONCE = 5_000

/** A request's key with everything it is scoped to, and its body (decision C10). */
export type RepeatableRequest = { scope: readonly string[]; body: string }

/** The answer as it was given, to be given again. */
export type KeptAnswer = { status: number; headers?: Record<string, string>; body?: unknown }

export type Repetition =
  | { kind: 'first' }
  | { kind: 'running' | 'other-body' }
  | { kind: 'repeated'; answer: KeptAnswer }

/** Asked inside the transaction that does the work: whoever dies in the middle leaves neither work nor key behind. */
export async function findRepetition(
  tx: DbOrTransaction,
  cipher: Cipher,
  request: RepeatableRequest,
): Promise<Repetition> {
  const key = keyHash(request)
  // Held until the transaction ends; a lock tells "still running" without waiting for it.
  const [lock] = await tx<Array<{ free: boolean }>>`
    select pg_try_advisory_xact_lock(${key.readBigInt64BE().toString()}::bigint) as free`
  if (lock?.free !== true) return { kind: 'running' }
  const [row] = await tx<Array<{ body_hash: Buffer; answer_sealed: Buffer }>>`
    select body_hash, answer_sealed from idempotency_keys where key_hash = ${key} and expires_at > now()`
  if (!row) return { kind: 'first' }
  if (!row.body_hash.equals(bodyHash(request))) return { kind: 'other-body' }
  const answer: KeptAnswer = JSON.parse(cipher.decrypt(row.answer_sealed, contextOf(key)).toString())
  return { kind: 'repeated', answer }
}

export async function keepAnswer(
  tx: DbOrTransaction,
  cipher: Cipher,
  request: RepeatableRequest,
  answer: KeptAnswer,
): Promise<void> {
  const key = keyHash(request)
  await tx`
    insert into idempotency_keys (key_hash, body_hash, answer_sealed, expires_at)
    values (${key}, ${bodyHash(request)}, ${cipher.encrypt(JSON.stringify(answer), contextOf(key))},
            now() + make_interval(hours => ${KEPT_HOURS}))
    on conflict (key_hash) do update set
      body_hash = excluded.body_hash, answer_sealed = excluded.answer_sealed, expires_at = excluded.expires_at`
}

/** In steps, until none is left: a day can bring more than one step holds. */
export async function forgetOldAnswers(db: DbOrTransaction): Promise<void> {
  for (;;) {
    const { count } = await db`
      delete from idempotency_keys where key_hash in
        (select key_hash from idempotency_keys where expires_at < now() order by expires_at limit ${FORGOTTEN_AT_ONCE})`
    if (count < FORGOTTEN_AT_ONCE) return
  }
}

/** Encrypts every kept answer again with the cipher's current key; a step at a time, for there may be a day's worth of them. */
export async function resealKeptAnswers(tx: DbOrTransaction, cipher: Cipher): Promise<number> {
  let count = 0
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const rows = await tx<Array<{ key_hash: Buffer; answer_sealed: Buffer }>>`
      select key_hash, answer_sealed from idempotency_keys where key_hash > ${after}
      order by key_hash limit ${RESEALED_AT_ONCE} for update`
    if (rows.length === 0) return count
    const sealed = rows.map(({ key_hash: key, answer_sealed }) =>
      cipher.encrypt(cipher.decrypt(answer_sealed, contextOf(key)), contextOf(key)),
    )
    const keys = rows.map((row) => row.key_hash)
    await tx`
      update idempotency_keys set answer_sealed = news.sealed
      from unnest(${byteaTexts(keys)}::text[]::bytea[], ${byteaTexts(sealed)}::text[]::bytea[]) as news (key_hash, sealed)
      where idempotency_keys.key_hash = news.key_hash`
    count += rows.length
    after = rows.at(-1)?.key_hash ?? after
  }
}

/** As JSON, so that no part can be mistaken for two. */
function keyHash({ scope }: RepeatableRequest): Buffer {
  return hash('sha256', JSON.stringify(scope), 'buffer')
}

function bodyHash({ body }: RepeatableRequest): Buffer {
  return hash('sha256', body, 'buffer')
}

function contextOf(key: Buffer): string {
  return `kept answer ${key.toString('base64url')}`
}
