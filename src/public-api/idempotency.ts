import { findRepetition, keepAnswer, type RepeatableRequest } from '../domain/idempotency/idempotency-store.ts'
import type { Answer } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../platform/db.ts'
import type { ApiCall } from './api-call.ts'

const LONGEST_KEY = 255

/** Null when the request carries no key. A key is visible ASCII, as the header's draft has it. */
export function readIdempotencyKey(sent: string | string[] | undefined): string | null {
  if (sent === undefined) return null
  if (typeof sent === 'string' && sent.length <= LONGEST_KEY && /^[\x21-\x7e]+$/.test(sent)) return sent
  throw new Problem(
    400,
    'malformed_idempotency_key',
    'Malformed Idempotency-Key',
    `Send one Idempotency-Key of 1 to ${LONGEST_KEY} visible ASCII characters, such as a UUID.`,
  )
}

/**
 * Runs the work once for each key (decision C10). The work, the key and the answer are one transaction: whoever dies in the
 * middle has done nothing, and the next try begins anew. What is refused is kept as well; a fault of ours is not.
 */
export async function onceForKey(
  db: Db,
  cipher: Cipher,
  request: RepeatableRequest,
  work: (tx: DbOrTransaction, atomically: ApiCall['atomically']) => Promise<Answer>,
  refused: (problem: Problem) => Answer,
): Promise<Answer> {
  const outcome = await db.begin(async (tx) => {
    const repetition = await findRepetition(tx, cipher, request)
    if (repetition.kind !== 'first') return repetition
    // The transaction goes on when the work is refused, so that what the work did until then is undone by itself.
    const atomically: ApiCall['atomically'] = async (part) => {
      const { value } = await tx.savepoint(async (inner) => ({ value: await part(inner) }))
      return value
    }
    const answer = await work(tx, atomically).catch((error: unknown) => {
      if (error instanceof Problem && error.status < 500) return refused(error)
      throw error
    })
    await keepAnswer(tx, cipher, request, answer)
    return { kind: 'answered' as const, answer }
  })
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer
    case 'repeated':
      return { ...outcome.answer, headers: { ...outcome.answer.headers, 'idempotent-replayed': 'true' } }
    case 'running':
      throw new Problem(
        409,
        'still_running',
        'Still running',
        'A request with this Idempotency-Key is still running. Wait a moment and repeat it.',
        { headers: { 'retry-after': '1' } },
      )
    case 'other-body':
      throw new Problem(
        409,
        'idempotency_key_reused',
        'Idempotency-Key used before',
        'This Idempotency-Key was used with another body. Use a new key for a new request.',
      )
  }
}
