import type { DbOrTransaction } from '../../platform/db.ts'
import type { SupportSetting } from './setting-definitions.ts'
import type { SupportChange } from './setting-input.ts'
import type { QueuedRequest, RequestState, SupportRequest } from './support-request.ts'

type RequestRow = {
  id: string
  application_id: string
  team_id: string
  email: string | null
  setting: SupportSetting
  wanted: SupportChange
  reason: string
  state: RequestState
  answer: string | null
  answered_by: string | null
  answered_at: Date | null
  created_at: Date
}

type QueuedRow = RequestRow & { application_name: string; team_name: string }

/** Newest first; `before` is the last id of the page before this one. */
export async function requestsOfApplication(
  db: DbOrTransaction,
  applicationId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<{ requests: SupportRequest[]; older: string | null }> {
  const rows = await db<RequestRow[]>`
    select ${columns(db)} from support_requests left join integrators on integrators.id = asked_by
    where application_id = ${applicationId} ${before === null ? db`` : db`and support_requests.id < ${before}`}
    order by support_requests.id desc limit ${limit + 1}`
  const requests = rows.slice(0, limit).map(fromRow)
  return { requests, older: rows.length > limit ? (requests.at(-1)?.id ?? null) : null }
}

/** What is open for an application: one for each setting at most. */
export async function openRequestsOf(db: DbOrTransaction, applicationId: string): Promise<SupportRequest[]> {
  const rows = await db<RequestRow[]>`
    select ${columns(db)} from support_requests left join integrators on integrators.id = asked_by
    where application_id = ${applicationId} and support_requests.state = 'open' order by support_requests.id`
  return rows.map(fromRow)
}

/**
 * The queue of support: what is open, the longest waiting first; what is answered, the newest first. `after` is the last id of
 * the page before this one. What belongs to a deleted application waits with it.
 */
export async function requestQueue(
  db: DbOrTransaction,
  { state, after, limit }: { state: RequestState; after: string | null; limit: number },
): Promise<{ requests: QueuedRequest[]; next: string | null }> {
  const isOpen = state === 'open'
  const beyond = isOpen ? db`support_requests.id > ${after}` : db`support_requests.id < ${after}`
  const rows = await db<QueuedRow[]>`
    select ${columns(db)}, applications.name as application_name, teams.name as team_name
    from support_requests
    join applications on applications.id = application_id and deleted_at is null
    join teams on teams.id = support_requests.team_id
    left join integrators on integrators.id = asked_by
    where support_requests.state = ${state} ${after === null ? db`` : db`and ${beyond}`}
    order by support_requests.id ${isOpen ? db`` : db`desc`} limit ${limit + 1}`
  const requests = rows.slice(0, limit).map(fromQueuedRow)
  return { requests, next: rows.length > limit ? (requests.at(-1)?.id ?? null) : null }
}

/** For support, whosever it is. */
export async function findRequest(db: DbOrTransaction, id: string): Promise<QueuedRequest | null> {
  const [row] = await db<QueuedRow[]>`
    select ${columns(db)}, applications.name as application_name, teams.name as team_name
    from support_requests
    join applications on applications.id = application_id and deleted_at is null
    join teams on teams.id = support_requests.team_id
    left join integrators on integrators.id = asked_by
    where support_requests.id = ${id}`
  return row ? fromQueuedRow(row) : null
}

function columns(db: DbOrTransaction) {
  return db`
    support_requests.id, application_id, support_requests.team_id, integrators.email, setting, wanted, reason,
    support_requests.state, answer, answered_by, answered_at, support_requests.created_at`
}

function fromQueuedRow(row: QueuedRow): QueuedRequest {
  return { ...fromRow(row), applicationName: row.application_name, teamName: row.team_name }
}

function fromRow(row: RequestRow): SupportRequest {
  return {
    id: row.id,
    applicationId: row.application_id,
    teamId: row.team_id,
    askedBy: row.email,
    setting: row.setting,
    wanted: row.wanted,
    reason: row.reason,
    state: row.state,
    answer: row.answer,
    answeredBy: row.answered_by,
    answeredAt: row.answered_at,
    createdAt: row.created_at,
  }
}
