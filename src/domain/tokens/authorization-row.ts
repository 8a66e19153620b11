import { type UserRow, userFromRow } from '../users/user-row.ts'
import type { Authorization } from './authorization.ts'

/** An authorization as codes and refresh families keep it, joined to its person. */
export type AuthorizationRow = UserRow & {
  grant_id: string
  application_id: string
  scope: string[]
  audience: string | null
  sid: string
  auth_time: Date
}

export function authorizationFromRow(row: AuthorizationRow): Authorization {
  return {
    grantId: row.grant_id,
    applicationId: row.application_id,
    user: userFromRow(row),
    scope: row.scope,
    audience: row.audience,
    sid: row.sid,
    authTime: row.auth_time,
  }
}
