import type { DbOrTransaction } from '../../platform/db.ts'
import { foldLogin, type User } from './user.ts'

export type InsertUser = User & { passwordHash: string | null }

/** Answers whether the person is new; one who is already known is left as they are. */
export async function insertUser(db: DbOrTransaction, user: InsertUser): Promise<boolean> {
  const inserted = await db`
    insert into users (
      id, role, email, email_folded, email_verified, username, username_folded, name, nickname, picture,
      phone_number, phone_number_verified, city, state, password_hash
    ) values (
      ${user.id}, ${user.role}, ${user.email}, ${foldLogin(user.email)}, ${user.emailVerified},
      ${user.username}, ${user.username === null ? null : foldLogin(user.username)}, ${user.name}, ${user.nickname},
      ${user.picture}, ${user.phoneNumber}, ${user.phoneNumberVerified}, ${user.city}, ${user.state}, ${user.passwordHash}
    )
    on conflict do nothing
    returning id`
  return inserted.length === 1
}

export async function userExists(db: DbOrTransaction, id: string): Promise<boolean> {
  const found = await db`select 1 from users where id = ${id}`
  return found.length === 1
}
