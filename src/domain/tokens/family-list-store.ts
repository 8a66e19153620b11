import type { DbOrTransaction } from '../../platform/db.ts'

/** What an application holds of a person: refresh tokens that still work. */
export type HeldTokens = { applicationId: string; applicationName: string; families: number; newest: Date }

/** More applications than this are no page any more. */
const MOST_SHOWN = 100

export async function heldTokensOf(db: DbOrTransaction, userId: string): Promise<HeldTokens[]> {
  const rows = await db<Array<{ id: string; name: string; families: number; newest: Date }>>`
    select applications.id, applications.name, count(*)::int as families, max(family.created_at) as newest
    from refresh_families as family join applications on applications.id = family.application_id
    where family.user_id = ${userId} and family.revoked_at is null and family.expires_at > now()
    group by applications.id order by applications.name, applications.id limit ${MOST_SHOWN}`
  return rows.map(({ id, name, families, newest }) => ({
    applicationId: id,
    applicationName: name,
    families,
    newest,
  }))
}
