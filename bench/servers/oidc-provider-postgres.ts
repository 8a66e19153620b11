import { openDatabase } from '../../src/platform/db.ts'

type Payload = { grantId?: string; userCode?: string; uid?: string; consumed?: unknown; [name: string]: unknown }

/**
 * oidc-provider's storage on PostgreSQL as its users write it after the example in its own documentation: one table of JSON,
 * a statement for each of upsert, find, consume and destroy. The driver, its pool and the server are the same as ours.
 */
export async function openPostgresAdapter(url: string) {
  const db = openDatabase({ url }, { prepare: true, poolSize: 10 })
  await db`
    create table if not exists oidc_payloads (
      id text, type text, payload jsonb not null, grant_id text, user_code text, uid text, expires_at timestamptz,
      consumed_at timestamptz, primary key (id, type)
    )`
  await db`create index if not exists oidc_payloads_grant_id on oidc_payloads (grant_id)`
  await db`create index if not exists oidc_payloads_uid on oidc_payloads (uid)`

  class Adapter {
    readonly type: string

    constructor(type: string) {
      this.type = type
    }

    async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
      const expiresAt = expiresIn === undefined ? null : new Date(Date.now() + expiresIn * 1_000)
      const json = db.json(JSON.parse(JSON.stringify(payload)))
      await db`
        insert into oidc_payloads (id, type, payload, grant_id, user_code, uid, expires_at)
        values (${id}, ${this.type}, ${json}, ${payload.grantId ?? null}, ${payload.userCode ?? null}, ${payload.uid ?? null}, ${expiresAt})
        on conflict (id, type) do update set payload = excluded.payload, grant_id = excluded.grant_id,
          user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`
    }

    async find(id: string): Promise<Payload | undefined> {
      const [row] = await db<Array<{ payload: Payload; consumed: boolean; expired: boolean }>>`
        select payload, consumed_at is not null as consumed, coalesce(expires_at < now(), false) as expired
        from oidc_payloads where id = ${id} and type = ${this.type}`
      if (!row || row.expired) return undefined
      return { ...row.payload, ...(row.consumed && { consumed: true }) }
    }

    async findByUid(uid: string): Promise<Payload | undefined> {
      const [row] = await db<Array<{ payload: Payload }>>`
        select payload from oidc_payloads
        where uid = ${uid} and type = ${this.type} and (expires_at is null or expires_at > now())`
      return row?.payload
    }

    async consume(id: string): Promise<void> {
      await db`update oidc_payloads set consumed_at = now() where id = ${id} and type = ${this.type}`
    }

    async destroy(id: string): Promise<void> {
      await db`delete from oidc_payloads where id = ${id} and type = ${this.type}`
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      await db`delete from oidc_payloads where grant_id = ${grantId}`
    }
  }

  async function findClaims(id: string): Promise<Record<string, unknown>> {
    const [row] = await db<Array<Record<string, unknown>>>`
      select role, name, nickname, email from users where id = ${id}`
    return { ...row }
  }

  return { Adapter, findClaims }
}
