import type { Db, DbOrTransaction } from './db.ts'

/** Runs the work in one transaction and answers its outcome. A throw rolls back, so what must stay is returned, not thrown. */
export async function transaction<Value>(db: Db, work: (tx: DbOrTransaction) => Promise<Value>): Promise<Value> {
  const { outcome } = await db.begin(async (tx) => ({ outcome: await work(tx) }))
  return outcome
}
