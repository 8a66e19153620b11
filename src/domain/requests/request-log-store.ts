import type { Db, DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import {
  causeOf,
  type KeptRequest,
  type LoggedRequest,
  type RefusalGroup,
  type RequestFacts,
} from './logged-request.ts'

/** All of them in one statement. Those of applications that do not exist are not kept: anybody can make up an id. */
export async function writeRequests(db: DbOrTransaction, requests: readonly KeptRequest[]): Promise<void> {
  const rows = requests.map(({ refusal, at, ...request }) => ({
    ...request,
    at: at.toISOString(),
    error: refusal?.error ?? null,
    reason: refusal?.reason ?? null,
    cause: refusal && causeOf(refusal),
    facts: { ...refusal?.facts },
  }))
  await db`
    insert into request_log (day, id, at, request_id, team_id, application_id, environment, method, path, operation, status,
                             error, reason, cause, facts, duration_ms, network, left_out)
    select (now() at time zone 'utc')::date, news.id, at, "requestId", team_id, applications.id, environment, method, path,
           operation, status, error, reason, cause, facts, "durationMs", network, "leftOut"
    from jsonb_to_recordset(${db.json(rows)}) as news (
           id text, at timestamptz, "requestId" text, "applicationId" text, environment text, method text, path text,
           operation text, status int, error text, reason text, cause text, facts jsonb, "durationMs" int, network text,
           "leftOut" int)
    join applications on applications.id = "applicationId"`
}

type Row = {
  id: string
  at: Date
  request_id: string
  application_id: string
  environment: Environment | null
  method: string
  path: string
  operation: string | null
  status: number
  error: string | null
  reason: string | null
  facts: RequestFacts
  duration_ms: number
  network: string
}

const COLUMNS = [
  'id',
  'at',
  'request_id',
  'application_id',
  'environment',
  'method',
  'path',
  'operation',
  'status',
  'error',
  'reason',
  'facts',
  'duration_ms',
  'network',
] as const

/** Which requests of a team are looked at. */
export type RequestFilter = {
  applicationId: string | null
  environment: Environment | null
  refusedOnly: boolean
  /** One group of refusals. */
  cause: string | null
}

export type RequestPage = { rows: LoggedRequest[]; older: string | null }

/** Newest first, from `before` on backwards: whatever the filter, it is a walk along an index. */
export async function requestsOfTeam(
  db: Db,
  teamId: string,
  filter: RequestFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<RequestPage> {
  const rows = await db<Row[]>`
    select ${db(COLUMNS)} from request_log
    where ${filtered(db, teamId, filter)} ${before === null ? db`` : db`and id < ${before}`}
    order by id desc limit ${limit + 1}`
  return {
    rows: rows.slice(0, limit).map(fromRow),
    older: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null,
  }
}

/** Callers may name their requests themselves, so there can be several. Without a team: whosever they are, for support. */
export async function requestsWithId(db: Db, requestId: string, teamId: string | null): Promise<LoggedRequest[]> {
  const rows = await db<Row[]>`
    select ${db(COLUMNS)} from request_log
    where request_id = ${requestId} ${teamId === null ? db`` : db`and team_id = ${teamId}`}
    order by id desc limit 50`
  return rows.map(fromRow)
}

const MOST_GROUPS = 6
/** However much was refused, no more than this is counted. */
const MOST_COUNTED = 10_000

/** What was refused in the last day, by cause, most often first. `leftOut` were not kept because there were too many. */
export async function refusalGroups(
  db: Db,
  teamId: string,
  filter: Pick<RequestFilter, 'applicationId' | 'environment'>,
): Promise<{ groups: RefusalGroup[]; leftOut: number }> {
  const rows = await db<
    Array<{ cause: string; error: string; reason: string; times: number; last_at: Date; left_out: number }>
  >`
    select cause, min(error) as error, min(reason) as reason, count(*)::int as times, max(at) as last_at,
           (sum(sum(left_out)) over ())::int as left_out
    from (
      select cause, error, reason, at, left_out from request_log
      where ${filtered(db, teamId, { ...filter, refusedOnly: true, cause: null })}
        and id >= 'rql_' || lpad(to_hex((extract(epoch from now() - interval '1 day') * 1000)::bigint), 12, '0')
      order by id desc limit ${MOST_COUNTED}
    ) as recent
    group by cause order by times desc, last_at desc limit ${MOST_GROUPS}`
  return {
    groups: rows.map(({ cause, error, reason, times, last_at }) => ({ cause, error, reason, times, lastAt: last_at })),
    leftOut: rows[0]?.left_out ?? 0,
  }
}

function filtered(db: Db, teamId: string, { applicationId, environment, refusedOnly, cause }: RequestFilter) {
  return db`team_id = ${teamId}
    ${applicationId === null ? db`` : db`and application_id = ${applicationId}`}
    ${environment === null ? db`` : db`and environment = ${environment}`}
    ${refusedOnly ? db`and cause is not null` : db``}
    ${cause === null ? db`` : db`and cause = ${cause}`}`
}

function fromRow(row: Row): LoggedRequest {
  const { error, reason, facts } = row
  return {
    at: row.at,
    requestId: row.request_id,
    applicationId: row.application_id,
    environment: row.environment,
    method: row.method,
    path: row.path,
    operation: row.operation,
    status: row.status,
    refusal: error === null ? null : { error, reason: reason ?? '', facts },
    durationMs: row.duration_ms,
    network: row.network,
  }
}
