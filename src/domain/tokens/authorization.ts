import type { User } from '../users/user.ts'

/** What a person allowed an application, however it came about: the source of every token of a user flow. */
export type Authorization = {
  /** Everything that comes of it carries this id, so that all of it can be revoked at once. */
  grantId: string
  applicationId: string
  user: User
  scope: string[]
  audience: string | null
  /** The session's public id (decision B19). */
  sid: string
  authTime: Date
}
