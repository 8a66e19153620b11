/** A session as its owner sees it in a list, whatever kind of account it is of. */
export type SessionSummary = { sid: string; userAgent: string; address: string; authTime: Date; lastSeenAt: Date }

export type SessionSummaryRow = {
  sid: string
  user_agent: string
  address: string
  auth_time: Date
  last_seen_at: Date
}

export function sessionSummaryFrom(row: SessionSummaryRow): SessionSummary {
  return {
    sid: row.sid,
    userAgent: row.user_agent,
    address: row.address,
    authTime: row.auth_time,
    lastSeenAt: row.last_seen_at,
  }
}
