import type { DbOrTransaction } from './db.ts'

const SILENCE_SECONDS = 3

/**
 * For a transaction whose locks everybody waits for: the database ends it when we fall silent in the middle of it, because
 * our process is frozen or our machine cut off. Begun before the statement that follows and awaited with it
 * (`Promise.all`), it costs no round trip of its own.
 */
export function endWhenSilent(tx: DbOrTransaction): Promise<unknown> {
  return tx`select set_config('idle_in_transaction_session_timeout', ${`${SILENCE_SECONDS}s`}, true)`.execute()
}
