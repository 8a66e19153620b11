import { openDatabase } from '../../src/platform/db.ts'

export type Saved = { clientId: string; userId: string; scope: string[]; refreshTokenExpiresAt: Date }

type Person = { id: string; role: string; name: string | null; nickname: string | null; email: string | null }

export type RefreshTokens = {
  find: (token: string) => Promise<(Saved & { user: Person }) | undefined>
  revoke: (token: string) => Promise<boolean>
  save: (token: string, saved: Saved) => Promise<void>
}

/**
 * The part of @node-oauth/oauth2-server's model that needs storage, as its users write it: one table, one statement for each
 * function. The driver, its pool and the server are the same as ours.
 */
export async function openRefreshTokens(url: string): Promise<RefreshTokens> {
  const db = openDatabase({ url }, { prepare: true, poolSize: 10 })
  await db`
    create table if not exists oauth2_refresh_tokens (
      token text primary key, client_id text not null, user_id text not null, scope text[] not null,
      expires_at timestamptz not null
    )`
  return {
    find: async (token) => {
      const [row] = await db<
        Array<Omit<Person, 'id'> & { client_id: string; user_id: string; scope: string[]; expires_at: Date }>
      >`
        select client_id, user_id, scope, expires_at, role, name, nickname, email
        from oauth2_refresh_tokens join users on users.id = user_id where token = ${token}`
      if (!row) return undefined
      const { client_id, user_id, scope, expires_at, ...claims } = row
      const user = { id: user_id, ...claims }
      return { clientId: client_id, userId: user_id, scope, refreshTokenExpiresAt: expires_at, user }
    },
    revoke: async (token) => (await db`delete from oauth2_refresh_tokens where token = ${token}`).count === 1,
    save: async (token, { clientId, userId, scope, refreshTokenExpiresAt }) => {
      await db`
        insert into oauth2_refresh_tokens (token, client_id, user_id, scope, expires_at)
        values (${token}, ${clientId}, ${userId}, ${scope}, ${refreshTokenExpiresAt})`
    },
  }
}
