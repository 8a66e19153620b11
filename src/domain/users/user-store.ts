import type { DbOrTransaction } from '../../platform/db.ts'
import { foldLogin, type User } from './user.ts'
import { USER_COLUMNS, type UserRow, userFromRow } from './user-row.ts'

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

/** By e-mail or username: an e-mail has an @ and a username never does (decision B18). */
export async function findUserByLogin(
  db: DbOrTransaction,
  login: string,
): Promise<{ user: User; passwordHash: string | null; blocked: boolean } | null> {
  const folded = foldLogin(login)
  const [row] = await db<Array<UserRow & { password_hash: string | null; blocked: boolean }>>`
    select ${db(USER_COLUMNS)}, password_hash, blocked_at is not null as blocked
    from users where ${folded.includes('@') ? db`email_folded` : db`username_folded`} = ${folded}`
  return row ? { user: userFromRow(row), passwordHash: row.password_hash, blocked: row.blocked } : null
}

export async function findUser(db: DbOrTransaction, id: string): Promise<User | null> {
  const [row] = await db<UserRow[]>`select ${db(USER_COLUMNS)} from users where id = ${id} and blocked_at is null`
  return row ? userFromRow(row) : null
}
