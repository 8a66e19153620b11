import type { Db } from '../../platform/db.ts'
import type { Environment } from '../environment.ts'
import { foldLogin } from '../users/user.ts'
import type { Hit, HitKind } from './hit.ts'

/** Shorter beginnings of names are what everything begins with. */
const SHORTEST_NAME = 2

type HitRow = {
  kind: HitKind
  id: string
  name: string
  exact: boolean
  environment: Environment | null
  application_id: string | null
  team_id: string | null
  notes: string[]
}

/** Everything that goes by this id or address, or whose name begins so. Each part is a look into one index. */
export async function lookUp(db: Db, sought: string): Promise<Hit[]> {
  const parts = await Promise.all([
    byId(db, sought),
    sought.includes('@') ? byAddress(db, foldLogin(sought)) : [],
    sought.length >= SHORTEST_NAME ? byName(db, sought) : [],
  ])
  const hits = parts.flatMap((rows) => [...rows]).map(fromRow)
  // What its id found is not found again by its name.
  return hits.filter((hit, at) => hits.findIndex(({ kind, id }) => kind === hit.kind && id === hit.id) === at)
}

async function byId(db: Db, id: string): Promise<HitRow[]> {
  return db<HitRow[]>`
    select 'application' as kind, id, name, true as exact, null as environment, id as application_id, team_id,
           ${applicationNotes(db)} as notes
    from applications where id = ${id}
    union all
    select 'team', id, name, true, null, null, id, '{}' from teams where id = ${id}
    union all
    select 'integrator', id, email, true, null, null, null, array[name] from integrators where id = ${id}
    union all
    select 'person', id, email, true, null, null, null, ${personNotes(db)}
    from users where id = ${id}
    union all
    select 'facility', id, name, true, environment, null, null, array_remove(array[city, state], null) from facilities where id = ${id}
    union all
    select 'webhook', webhooks.id, url, true, environment, application_id, team_id,
           array_remove(array[kind, case when disabled_because is not null then 'disabled' end], null)
    from webhooks join applications on applications.id = application_id where webhooks.id = ${id}
    union all
    select 'event', events.id, events.type, true, events.environment, null, null, array_remove(array[facility_id, user_id], null)
    from event_ids join events on events.day = event_ids.day and events.environment = event_ids.environment and events.id = event_ids.id
    where event_ids.id = ${id} and event_ids.environment in ('production', 'sandbox')
    union all
    select 'delivery', found.id, event_type, true, found.environment, application_id, team_id, array[found.state, webhook_id]
    from (
      select id, environment, event_type, state, webhook_id from deliveries where id = ${id}
      union all
      select id, environment, event_type, state, webhook_id from finished_deliveries
      -- The days are named so that each of their tables answers by its key.
      where id = ${id} and day = any(array(
        select d::date from generate_series((now() at time zone 'utc')::date - 40, (now() at time zone 'utc')::date + 1, '1 day') as d))
    ) as found
    left join webhooks on webhooks.id = webhook_id left join applications on applications.id = application_id
    union all
    select 'request', id, setting, true, null, application_id, team_id, array[state] from support_requests where id = ${id}`
}

async function byAddress(db: Db, folded: string): Promise<HitRow[]> {
  return db<HitRow[]>`
    select 'integrator' as kind, id, email as name, true as exact, null as environment, null as application_id,
           null as team_id, array[name] as notes
    from integrators where email_folded = ${folded}
    union all
    select 'person', id, email, true, null, null, null, ${personNotes(db)}
    from users where email_folded = ${folded}`
}

async function byName(db: Db, name: string): Promise<HitRow[]> {
  return db<HitRow[]>`
    (select 'application' as kind, id, name, false as exact, null as environment, id as application_id, team_id,
            ${applicationNotes(db)} as notes
     from applications where ${beginningWith(db, name)} ${atMost(db)})
    union all
    (select 'team', id, name, false, null, null, id, '{}' from teams where ${beginningWith(db, name)} ${atMost(db)})
    union all
    (select 'facility', id, name, false, environment, null, null, array_remove(array[city, state], null)
     from facilities where ${beginningWith(db, name)} ${atMost(db)})`
}

/**
 * A range and not LIKE, and in the index's own order: so it is the index that answers, whether or not the plan was made before
 * the name was known. That it is selected keeps the name from the planner, or it would plan anew for every name, which takes
 * longer than to look. Ends with the last character there is.
 */
function beginningWith(db: Db, name: string) {
  const first = name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return db`lower(name collate "C") between (select ${first}::text) and (select ${`${first}\u{10ffff}`}::text)
    order by lower(name collate "C")`
}

/** Of each kind. Written out: not knowing the number, the planner would count on a tenth of all, and plan anew for every name. */
function atMost(db: Db) {
  return db`limit 20`
}

// The driver reads an empty element of an array as a word, so there are none.
function applicationNotes(db: Db) {
  return db`array_remove(array[type, case when suspended_at is not null then 'suspended' end,
                               case when deleted_at is not null then 'deleted' end], null)`
}

function personNotes(db: Db) {
  return db`array_remove(array[name, role, case when blocked_at is not null then 'blocked' end], null)`
}

function fromRow(row: HitRow): Hit {
  return {
    kind: row.kind,
    id: row.id,
    name: row.name,
    exact: row.exact,
    environment: row.environment,
    applicationId: row.application_id,
    teamId: row.team_id,
    notes: row.notes,
  }
}
