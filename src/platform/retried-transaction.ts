import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, DbOrTransaction } from './db.ts'
import { transaction } from './transaction.ts'

/** A deadlock, a failed serialisation, a row that another made first, a row that another removed. */
const PASSING: ReadonlySet<unknown> = new Set(['40P01', '40001', '23505', '23503'])
const TRIES = 6
const LONGEST_PAUSE_MS = 25

/**
 * A transaction for work that looks before it writes. When somebody else was quicker in between, it is rolled back and done
 * again, and then sees what the other one did.
 */
export async function retriedTransaction<Value>(db: Db, work: (tx: DbOrTransaction) => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(db, work)
    } catch (error) {
      if (attempt === TRIES || !isPassing(error)) throw error
      await sleep(Math.random() * LONGEST_PAUSE_MS * attempt)
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && PASSING.has(error.code)
}
