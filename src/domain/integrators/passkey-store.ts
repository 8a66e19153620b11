import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import type { KnownKey, NewKey } from '../../platform/webauthn.ts'
import { MOST_PASSKEYS, type Passkey } from './passkey.ts'

type Row = { id: string; name: string; synced: boolean; created_at: Date; last_used_at: Date | null }

/** The newest first. */
export async function listPasskeys(db: Db, integratorId: string): Promise<Passkey[]> {
  const rows = await db<Row[]>`
    select id, name, synced, created_at, last_used_at from integrator_passkeys
    where integrator_id = ${integratorId} order by id desc`
  return rows.map(passkeyFrom)
}

export async function countPasskeys(db: DbOrTransaction, integratorId: string): Promise<number> {
  const [row] = await db<Array<{ passkeys: number }>>`
    select count(*)::int as passkeys from integrator_passkeys where integrator_id = ${integratorId}`
  return row?.passkeys ?? 0
}

export async function findPasskey(db: Db, integratorId: string, id: string): Promise<Passkey | null> {
  const [row] = await db<Row[]>`
    select id, name, synced, created_at, last_used_at from integrator_passkeys
    where id = ${id} and integrator_id = ${integratorId}`
  return row ? passkeyFrom(row) : null
}

/** What an authenticator is told, so that it does not make a second one for the same account. */
export async function keysOf(db: Db, integratorId: string): Promise<Array<{ id: string; transports: string[] }>> {
  const rows = await db<Array<{ credential_id: Buffer; transports: string[] }>>`
    select credential_id, transports from integrator_passkeys where integrator_id = ${integratorId} order by id desc`
  return rows.map(({ credential_id, transports }) => ({ id: credential_id.toString('base64url'), transports }))
}

export type Added = { outcome: 'added'; id: string } | { outcome: 'taken' | 'too-many' | 'signed-out' }

/**
 * The account's row is held, so that two at the same moment cannot both be the last that fits, and whoever was signed out of it
 * a moment ago, by a new password perhaps, does not come back by a passkey.
 */
export async function insertPasskey(
  tx: DbOrTransaction,
  { integratorId, sid }: { integratorId: string; sid: string },
  { name, ...key }: NewKey & { name: string },
): Promise<Added> {
  await tx`select 1 from integrators where id = ${integratorId} for update`
  const live = await tx`select 1 from integrator_sessions where sid = ${sid} and ended_at is null`
  if (live.length === 0) return { outcome: 'signed-out' }
  if ((await countPasskeys(tx, integratorId)) >= MOST_PASSKEYS) return { outcome: 'too-many' }
  const id = newId('psk')
  const inserted = await tx`
    insert into integrator_passkeys
      (id, integrator_id, credential_id, public_key, counter, transports, synced, name)
    values (${id}, ${integratorId}, ${Buffer.from(key.credentialId, 'base64url')}, ${key.publicKey}, ${key.counter},
            ${key.transports}::text[], ${key.synced}, ${name})
    on conflict (credential_id) do nothing returning 1`
  return inserted.length === 1 ? { outcome: 'added', id } : { outcome: 'taken' }
}

/** Answers the name before. */
export async function renamePasskey(
  tx: DbOrTransaction,
  { integratorId, id, name }: { integratorId: string; id: string; name: string },
): Promise<string | null> {
  const [row] = await tx<Array<{ before: string }>>`
    with held as (select id, name from integrator_passkeys where id = ${id} and integrator_id = ${integratorId} for update)
    update integrator_passkeys set name = ${name} from held where integrator_passkeys.id = held.id
    returning held.name as before`
  return row?.before ?? null
}

/** Answers the name that it had, or null when there was none to remove. */
export async function removePasskey(tx: DbOrTransaction, integratorId: string, id: string): Promise<string | null> {
  const [row] = await tx<Array<{ name: string }>>`
    delete from integrator_passkeys where id = ${id} and integrator_id = ${integratorId} returning name`
  return row?.name ?? null
}

/** Answers how many there were. */
export async function removePasskeysOf(tx: DbOrTransaction, integratorId: string): Promise<number> {
  const removed = await tx`delete from integrator_passkeys where integrator_id = ${integratorId} returning 1`
  return removed.length
}

export type FoundKey = KnownKey & { id: string; integratorId: string }

export async function findKey(db: Db, credentialId: string): Promise<FoundKey | null> {
  const [row] = await db<Array<{ id: string; integrator_id: string; public_key: Buffer; counter: string }>>`
    select id, integrator_id, public_key, counter from integrator_passkeys
    where credential_id = ${Buffer.from(credentialId, 'base64url')}`
  if (!row) return null
  const { id, integrator_id: integratorId, public_key: publicKey, counter } = row
  return { id, integratorId, credentialId, publicKey, counter: Number(counter) }
}

/**
 * Answers whether it is still there and its count went on. Of two uses with the same count one wins, and a count that stands
 * still is a copy of the key, unless the authenticator never counts and says 0.
 */
export async function noteKeyUse(db: Db, id: string, used: { counter: number; synced: boolean }): Promise<boolean> {
  const noted = await db`
    update integrator_passkeys set counter = ${used.counter}, synced = ${used.synced}, last_used_at = now()
    where id = ${id} and (counter < ${used.counter}::bigint or (counter = 0 and ${used.counter}::bigint = 0)) returning 1`
  return noted.length === 1
}

function passkeyFrom(row: Row): Passkey {
  return {
    id: row.id,
    name: row.name,
    synced: row.synced,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}
