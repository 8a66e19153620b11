import type { Db } from '../../platform/db.ts'

/** An application with the addresses that people may be sent back to; deleted ones too, because what they did stays readable. */
export type ApplicationUris = {
  id: string
  name: string
  deleted: boolean
  redirectUris: string[]
  postLogoutRedirectUris: string[]
}

const MOST = 500

export async function registeredUrisOfTeam(db: Db, teamId: string): Promise<ApplicationUris[]> {
  const rows = await db<
    Array<{
      id: string
      name: string
      deleted: boolean
      redirect_uris: string[]
      post_logout_redirect_uris: string[]
    }>
  >`
    select id, name, deleted_at is not null as deleted, redirect_uris, post_logout_redirect_uris
    from applications where team_id = ${teamId} order by deleted_at is not null, id desc limit ${MOST}`
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    deleted: row.deleted,
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
  }))
}
