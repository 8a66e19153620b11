import type { Db, DbOrTransaction } from '../../platform/db.ts'
import { retriedTransaction } from '../../platform/retried-transaction.ts'
import type { Environment } from '../environment.ts'
import type { DisabledReason, WebhookKind } from '../webhooks/webhook.ts'

/** A webhook is disabled when it has failed for so long, and so often, since its last success (decision D7). */
export const FAILING_DAYS = 5
export const LEAST_FAILURES = 20

/**
 * Its owner hears of it at these percentages of both, so nobody is warned of an end that is not in sight: one event that
 * failed all of its ten attempts is half of the failures it takes.
 */
export const WARNINGS = [50, 75, 90] as const

/** In `warned`: it is disabled, and its owner is still to be told. */
const TO_BE_TOLD = 100

const MOST_AT_ONCE = 100

/** A webhook whose owner has to hear of it. Of its URL only the host, which is no secret. */
export type Notice = {
  webhookId: string
  kind: WebhookKind
  environment: Environment
  applicationId: string
  host: string
  /** Addresses; none when nobody is known who could be written to. */
  recipients: string[]
}

export type Warning = Notice & {
  percent: number
  /** What `warned` was before, for `takeBackWarning`. */
  warnedBefore: number
  since: Date
  /** Not before this moment; it may have passed when failures were few. */
  disabledFrom: Date
}

export type Disabled = Notice & { because: Exclude<DisabledReason, 'by_request'> }

type NoticeRow = {
  webhook_id: string
  kind: WebhookKind
  environment: Environment
  application_id: string
  url: string
  recipients: string[]
}

/** Switches off what has failed for long enough. Its owner is told by whoever comes to `takeDisabled` first. */
export async function disableFailing(db: Db): Promise<number> {
  return retriedTransaction(db, async (tx) => {
    const rows = await tx<Array<{ id: string }>>`
      with due as (
        select webhooks.id from webhooks
        join webhook_schedules as schedule on schedule.webhook_id = webhooks.id
        join applications on applications.id = webhooks.application_id
        where schedule.failing_since <= now() - make_interval(hours => ${FAILING_DAYS * 24})
          and schedule.failures >= ${LEAST_FAILURES} and ${working(tx)}
        order by webhooks.id limit ${MOST_AT_ONCE}
        for update of webhooks, schedule skip locked
      )
      update webhooks set disabled_because = 'failing', version = version + 1, updated_at = now()
      from due where webhooks.id = due.id returning webhooks.id`
    await markDisabled(
      tx,
      rows.map(({ id }) => id),
    )
    return rows.length
  })
}

/**
 * Of webhooks that were disabled in the same transaction: nothing is due any more, their owners are to be told, and whoever
 * enables them begins anew with counting. An open circuit stays open until the first success.
 */
export async function markDisabled(tx: DbOrTransaction, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return
  await tx`
    update webhook_schedules set due_at = 'infinity', capped = false, failing_since = now(), failures = 0,
      warned = ${TO_BE_TOLD}
    where webhook_id in
      (select webhook_id from webhook_schedules where webhook_id = any(${webhookIds}) order by webhook_id for update)`
}

/** Each is handed out once; who cannot tell its owner says so by `takeBackDisabled`. */
export async function takeDisabled(db: Db): Promise<Disabled[]> {
  const rows = await db<Array<NoticeRow & { disabled_because: DisabledReason | null }>>`
    with told as (
      select webhook_id from webhook_schedules where failing_since is not null and warned = ${TO_BE_TOLD}
      limit ${MOST_AT_ONCE} for update skip locked
    ), taken as (
      update webhook_schedules set failing_since = null, failures = 0, warned = 0
      from told where webhook_schedules.webhook_id = told.webhook_id returning told.webhook_id
    )
    select ${noticeColumns(db)}, webhooks.disabled_because
    from taken join webhooks on webhooks.id = taken.webhook_id`
  return rows.flatMap((row) => {
    const { disabled_because: because } = row
    // Somebody was quicker than the news, and needs none.
    return because === null || because === 'by_request' ? [] : [{ ...fromRow(row), because }]
  })
}

export async function takeBackDisabled(db: Db, webhookId: string): Promise<void> {
  await db`
    update webhook_schedules set failing_since = now(), warned = ${TO_BE_TOLD}
    where webhook_id = ${webhookId} and failing_since is null
      and exists (select 1 from webhooks where webhooks.id = webhook_id and disabled_because is not null)`
}

/** Each percentage is handed out once, the highest that is reached; who cannot warn says so by `takeBackWarning`. */
export async function takeWarnings(db: Db): Promise<Warning[]> {
  const seconds = FAILING_DAYS * 86_400
  const rows = await db<
    Array<NoticeRow & { percent: number; warned_before: number; since: Date; disabled_from: Date }>
  >`
    with due as (
      select schedule.webhook_id, schedule.warned as warned_before, reached.percent
      from webhook_schedules as schedule
      join webhooks on webhooks.id = schedule.webhook_id
      join applications on applications.id = webhooks.application_id
      cross join lateral (
        select max(percent) as percent from unnest(${[...WARNINGS]}::int[]) as percent
        where percent <= 100 * extract(epoch from now() - schedule.failing_since) / ${seconds}::float8
          and percent <= 100.0 * schedule.failures / ${LEAST_FAILURES}::int
      ) as reached
      where schedule.failing_since is not null and schedule.warned < reached.percent and ${working(db)}
      limit ${MOST_AT_ONCE} for update of schedule skip locked
    ), taken as (
      update webhook_schedules as schedule set warned = due.percent
      from due where schedule.webhook_id = due.webhook_id
      returning schedule.webhook_id, schedule.failing_since, due.percent, due.warned_before
    )
    select ${noticeColumns(db)}, percent, warned_before, failing_since as since,
           failing_since + make_interval(secs => ${seconds}) as disabled_from
    from taken join webhooks on webhooks.id = taken.webhook_id`
  return rows.map((row) => ({
    ...fromRow(row),
    percent: row.percent,
    warnedBefore: row.warned_before,
    since: row.since,
    disabledFrom: row.disabled_from,
  }))
}

export async function takeBackWarning(db: Db, { webhookId, percent, warnedBefore }: Warning): Promise<void> {
  await db`
    update webhook_schedules set warned = ${warnedBefore} where webhook_id = ${webhookId} and warned = ${percent}`
}

/** While nothing is sent for another reason, nothing can succeed either, and nobody is to blame. */
function working(db: DbOrTransaction) {
  return db`
    webhooks.disabled_because is null and applications.suspended_at is null and applications.deleted_at is null`
}

/**
 * The person whose webhook it is. What an application registered for itself is its team's (decision E1): those of them hear
 * of it who can do something about it.
 */
function noticeColumns(db: DbOrTransaction) {
  return db`
    webhooks.id as webhook_id, webhooks.kind, webhooks.environment, webhooks.application_id, webhooks.url,
    array(
      select email from users where users.id = webhooks.user_id and users.blocked_at is null
      union all
      select integrators.email from applications
      join team_members on team_members.team_id = applications.team_id
      join integrators on integrators.id = team_members.integrator_id
      where applications.id = webhooks.application_id and webhooks.user_id is null
        and team_members.role in ('owner', 'developer')
      order by email
    ) as recipients`
}

function fromRow(row: NoticeRow): Notice {
  return {
    webhookId: row.webhook_id,
    kind: row.kind,
    environment: row.environment,
    applicationId: row.application_id,
    host: new URL(row.url).hostname,
    recipients: row.recipients,
  }
}
