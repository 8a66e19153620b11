import type { DbOrTransaction } from './db.ts'

/**
 * For statements about a table that is empty at one moment and has a hundred thousand rows at the next: a plan that was made
 * when there was nothing reads everything, and is kept until the table is analyzed again. Until the transaction ends, rows are
 * looked up by an index wherever one can answer, so one plan is good for every call, and none is made anew for the values of
 * one: for a statement as long as a claim, that takes longer than to carry it out. Nor is it compiled: without the values the
 * planner expects far more rows than come.
 *
 * Begun before the statement and awaited with it (`Promise.all`), it costs no round trip of its own.
 */
export function byItsKeys(tx: DbOrTransaction): Promise<unknown> {
  return tx`
    select set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
           set_config('jit', 'off', true)`.execute()
}
