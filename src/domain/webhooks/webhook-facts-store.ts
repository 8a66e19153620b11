import type { DbOrTransaction } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import { type PlainWebhook, plainWebhookFrom, type WebhookRow } from './webhook-row.ts'

/** A webhook as support sees it: whose it is and where it points. Its secrets are not even read. */
export type WebhookFacts = PlainWebhook & {
  facilityCount: number
  applicationName: string
  /** The application is suspended or deleted, so that nothing is sent. */
  applicationStopped: boolean
  team: { id: string; name: string } | null
  userEmail: string | null
}

type FactsRow = WebhookRow & {
  facility_count: number
  application_name: string
  application_stopped: boolean
  team_id: string | null
  team_name: string | null
  user_email: string | null
}

export async function webhookFacts(db: DbOrTransaction, id: string): Promise<WebhookFacts | null> {
  const [row] = await db<FactsRow[]>`
    select webhooks.id, kind, environment, application_id, webhooks.user_id, url, events, disabled_because, listener,
           webhooks.created_at, webhooks.updated_at, applications.name as application_name,
           (suspended_at is not null or deleted_at is not null) as application_stopped,
           teams.id as team_id, teams.name as team_name, users.email as user_email,
           (select count(*)::int from webhook_facilities where webhook_id = webhooks.id) as facility_count
    from webhooks join applications on applications.id = application_id
    left join teams on teams.id = applications.team_id left join users on users.id = webhooks.user_id
    where webhooks.id = ${id}`
  return row ? fromRow(row) : null
}

/** The newest webhooks of an application, for looking into what was sent to them. */
export async function webhookIdsOf(
  db: DbOrTransaction,
  { applicationId, environment }: { applicationId: string; environment: Environment | null },
  limit: number,
): Promise<string[]> {
  const rows = await db<Array<{ id: string }>>`
    select id from webhooks
    where application_id = ${applicationId} ${environment === null ? db`` : db`and environment = ${environment}`}
    order by id desc limit ${limit}`
  return rows.map(({ id }) => id)
}

function fromRow(row: FactsRow): WebhookFacts {
  return {
    ...plainWebhookFrom(row),
    facilityCount: row.facility_count,
    applicationName: row.application_name,
    applicationStopped: row.application_stopped,
    team: row.team_id === null ? null : { id: row.team_id, name: row.team_name ?? '' },
    userEmail: row.user_email,
  }
}
