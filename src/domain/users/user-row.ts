import type { DbOrTransaction } from '../../platform/db.ts'
import type { Role, User } from './user.ts'

/** The columns that make a `User`, for stores that join people to what is theirs. */
export const USER_COLUMNS = [
  'users.id',
  'users.role',
  'users.email',
  'users.email_verified',
  'users.username',
  'users.name',
  'users.nickname',
  'users.picture',
  'users.phone_number',
  'users.phone_number_verified',
  'users.city',
  'users.state',
]

export function userColumns(db: DbOrTransaction) {
  return db`
    users.id, users.role, users.email, users.email_verified, users.username, users.name, users.nickname, users.picture,
    users.phone_number, users.phone_number_verified, users.city, users.state`
}

export type UserRow = {
  id: string
  role: Role
  email: string
  email_verified: boolean
  username: string | null
  name: string
  nickname: string | null
  picture: string | null
  phone_number: string | null
  phone_number_verified: boolean
  city: string | null
  state: string | null
}

export function userFromRow(row: UserRow): User {
  return {
    id: row.id,
    role: row.role,
    email: row.email,
    emailVerified: row.email_verified,
    username: row.username,
    name: row.name,
    nickname: row.nickname,
    picture: row.picture,
    phoneNumber: row.phone_number,
    phoneNumberVerified: row.phone_number_verified,
    city: row.city,
    state: row.state,
  }
}
