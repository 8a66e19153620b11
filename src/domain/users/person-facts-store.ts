import type { DbOrTransaction } from '../../platform/db.ts'

/** What support may know beyond what the person says of themselves: whether there is a password, never which. */
export type PersonFacts = { hasPassword: boolean; blockedAt: Date | null; webhooks: number }

export async function personFacts(db: DbOrTransaction, id: string): Promise<PersonFacts> {
  const [row] = await db<Array<{ has_password: boolean; blocked_at: Date | null; webhooks: number }>>`
    select password_hash is not null as has_password, blocked_at,
           (select count(*)::int from webhooks where webhooks.user_id = users.id) as webhooks
    from users where id = ${id}`
  return { hasPassword: row?.has_password ?? false, blockedAt: row?.blocked_at ?? null, webhooks: row?.webhooks ?? 0 }
}

/** The password opens nothing any more; the next one is set by a mailed link. The second factor stays. */
export async function takeAwayPassword(tx: DbOrTransaction, id: string): Promise<void> {
  await tx`update users set password_hash = null, updated_at = now() where id = ${id}`
}
