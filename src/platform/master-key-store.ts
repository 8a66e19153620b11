import type { Db, DbOrTransaction } from './db.ts'

/**
 * The database carries the id of the master key that encrypts it (never the key). Without it a wrong key would show only
 * when a secret fails to open, after new ones were written with it.
 */
export async function knownMasterKeyId(db: DbOrTransaction): Promise<string | null> {
  const [table] = await db<[{ exists: boolean }]>`select to_regclass('master_key') is not null as exists`
  if (!table.exists) return null
  const [row] = await db<Array<{ key_id: string }>>`select key_id from master_key`
  return row?.key_id ?? null
}

/** Marks a new database; answers the id it is marked with, which is another's if that one was quicker. */
export async function adoptMasterKey(db: Db, keyId: string): Promise<string> {
  await db`insert into master_key (key_id) values (${keyId}) on conflict do nothing`
  const [row] = await db<[{ key_id: string }]>`select key_id from master_key`
  return row.key_id
}

/** The last step of a rotation, in the transaction that encrypted everything again. */
export async function replaceMasterKey(tx: DbOrTransaction, keyId: string): Promise<void> {
  await tx`update master_key set key_id = ${keyId}, adopted_at = now()`
}
