import type { DbOrTransaction } from '../../platform/db.ts'
import type { Profile } from './profile.ts'
import { foldLogin, type User } from './user.ts'
import { type UserRow, userFromRow } from './user-row.ts'

/**
 * The columns that make a `User`, for stores that join people to what is theirs. Written out: a list of names that the driver
 * quotes costs it a search through the whole statement each time, some 7 % of the CPU of a refresh.
 */
export function userColumns(db: DbOrTransaction) {
  return db`
    users.id, users.role, users.email, users.email_verified, users.username, users.name, users.nickname, users.picture,
    users.phone_number, users.phone_number_verified, users.city, users.state`
}

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
    select ${userColumns(db)}, password_hash, blocked_at is not null as blocked
    from users where ${folded.includes('@') ? db`email_folded` : db`username_folded`} = ${folded}`
  return row ? { user: userFromRow(row), passwordHash: row.password_hash, blocked: row.blocked } : null
}

/** Whether this is the person's password hash at this moment, and they are not blocked. */
export async function hasPassword(db: DbOrTransaction, id: string, passwordHash: string): Promise<boolean> {
  const found = await db`
    select 1 from users where id = ${id} and password_hash = ${passwordHash} and blocked_at is null`
  return found.length === 1
}

export async function findUser(db: DbOrTransaction, id: string): Promise<User | null> {
  const [row] = await db<UserRow[]>`select ${userColumns(db)} from users where id = ${id} and blocked_at is null`
  return row ? userFromRow(row) : null
}

/** A phone number that is another one than before is not verified. */
export async function updateProfile(db: DbOrTransaction, id: string, profile: Profile): Promise<void> {
  const { name, nickname, picture, phoneNumber, city, state } = profile
  await db`
    update users set name = ${name}, nickname = ${nickname}, picture = ${picture}, phone_number = ${phoneNumber},
      phone_number_verified = phone_number_verified and phone_number is not distinct from ${phoneNumber},
      city = ${city}, state = ${state}, updated_at = now()
    where id = ${id}`
}
