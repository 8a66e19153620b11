import type { Role, User } from './user.ts'

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
