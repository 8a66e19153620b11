import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { secretHash } from '../../platform/opaque-secret.ts'
import type { Environment } from '../environment.ts'
import type { PlatformKey } from './platform-key.ts'

export type NewPlatformKey = { id: string; name: string; environment: Environment; key: string }

/** A key that is there already is left as it is, revoked or not. */
export async function insertPlatformKey(
  db: DbOrTransaction,
  { id, name, environment, key }: NewPlatformKey,
): Promise<void> {
  await db`
    insert into platform_keys (id, name, environment, key_hash)
    values (${id}, ${name}, ${environment}, ${secretHash(key)})
    on conflict do nothing`
}

type PlatformKeyRow = {
  id: string
  name: string
  environment: Environment
  created_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

export async function listPlatformKeys(db: Db): Promise<PlatformKey[]> {
  const rows = await db<PlatformKeyRow[]>`
    select id, name, environment, created_at, last_used_at, revoked_at from platform_keys order by created_at, id`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    environment: row.environment,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }))
}

export async function revokePlatformKey(db: Db, id: string): Promise<'revoked' | 'revoked-before' | 'unknown'> {
  const revoked = await db`
    update platform_keys set revoked_at = now() where id = ${id} and revoked_at is null returning 1`
  if (revoked.length === 1) return 'revoked'
  const known = await db`select 1 from platform_keys where id = ${id}`
  return known.length === 1 ? 'revoked-before' : 'unknown'
}

/** Who a key is, in which environment. */
export type LiveKey = { id: string; environment: Environment }

/** Asked for every request, so that a revoked key is refused everywhere at once: one read by a unique index. */
export async function findLiveKey(db: Db, key: string): Promise<LiveKey | null> {
  const [row] = await db<LiveKey[]>`
    select id, environment from platform_keys where key_hash = ${secretHash(key)} and revoked_at is null`
  return row ? { id: row.id, environment: row.environment } : null
}

/** Once a minute is enough to see whether a key is still in use, however many processes see it. */
export async function noteKeyUse(db: Db, id: string): Promise<void> {
  await db`
    update platform_keys set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}
