import { ensurePastDays } from '../../src/domain/deliveries/past-store.ts'
import { NOBODYS_HASH } from '../../src/domain/users/check-password.ts'
import type { Db, DbOrTransaction } from '../../src/platform/db.ts'
import {
  ABOUT_PEOPLE,
  AUDIENCES,
  PAST_MS,
  PER_EVENT,
  PER_FACILITY,
  PER_TEAM,
  PER_WEBHOOK,
  sqlIdOf,
} from './numbered.ts'

const STEP = 250_000

type Part = (tx: DbOrTransaction, from: number, until: number) => Promise<void>

/**
 * So many people, applications and webhooks, each with what belongs to it, and ten times as many old deliveries over five days
 * that end at midnight, which `past` names. What one webhook, team, facility or event has is the same in every size.
 */
export async function fill(db: Db, size: number, past: number): Promise<void> {
  await ensurePastDays(db)
  for (const part of [facilities, teams]) await inSteps(db, Math.ceil(size / PER_TEAM), part)
  for (const part of [people, signIns, applications, webhooks]) await inSteps(db, size, part)
  await inSteps(db, (size * PER_WEBHOOK) / PER_EVENT, events(size, past))
  await inSteps(db, size * PER_WEBHOOK, deliveries(size, past))
  // As a server that has had them for long: nothing is left to tidy up or to flush.
  await db`vacuum (freeze, analyze)`
  await db`checkpoint`
}

async function inSteps(db: Db, count: number, part: Part): Promise<void> {
  for (let from = 0; from < count; from += STEP) {
    await db.begin(async (tx) => {
      // Each row is right by how it is made; checking every one would take longer than everything else.
      await tx`set local session_replication_role = replica`
      await tx`set local synchronous_commit = off`
      await part(tx, from, Math.min(count, from + STEP) - 1)
    })
  }
}

async function facilities(tx: DbOrTransaction, from: number, until: number): Promise<void> {
  await tx`
    insert into facilities (environment, id, name)
    select 'sandbox', ${sqlIdOf(tx, 'fac', 'n')}, 'Facility ' || md5(n::text) from generate_series(${from}::int, ${until}::int) as n`
}

async function teams(tx: DbOrTransaction, from: number, until: number): Promise<void> {
  const numbers = tx`generate_series(${from}::int, ${until}::int) as n`
  await tx`insert into teams (id, name) select ${sqlIdOf(tx, 'tea', 'n')}, 'Team ' || md5(n::text) from ${numbers}`
  await tx`
    insert into integrators (id, email, email_folded, name, password_hash)
    select ${sqlIdOf(tx, 'int', 'n')}, n || '@team.example', n || '@team.example', 'Integrator', ${NOBODYS_HASH} from ${numbers}`
  await tx`
    insert into team_members (team_id, integrator_id, role)
    select ${sqlIdOf(tx, 'tea', 'n')}, ${sqlIdOf(tx, 'int', 'n')}, 'owner' from ${numbers}`
}

async function people(tx: DbOrTransaction, from: number, until: number): Promise<void> {
  const numbers = tx`generate_series(${from}::int, ${until}::int) as n`
  await tx`
    insert into users (id, role, email, email_folded, email_verified, name, password_hash, made_in)
    select ${sqlIdOf(tx, 'usr', 'n')}, 'NURSE_USER', n || '@grow.example', n || '@grow.example', true, 'Person ' || n,
           ${NOBODYS_HASH}, 'sandbox'
    from ${numbers}`
  await tx`
    insert into facility_access (environment, facility_id, user_id)
    select 'sandbox', ${sqlIdOf(tx, 'fac', `n / ${PER_FACILITY}`)}, ${sqlIdOf(tx, 'usr', 'n')} from ${numbers}`
  await tx`
    insert into consents (user_id, application_id, audience, scope)
    select ${sqlIdOf(tx, 'usr', 'n')}, ${sqlIdOf(tx, 'app', 'n')}, ${AUDIENCES.sandbox}, '{openid}' from ${numbers}`
}

/** A session and a refresh token of each person, of any age. */
async function signIns(tx: DbOrTransaction, from: number, until: number): Promise<void> {
  const numbers = tx`generate_series(${from}::int, ${until}::int) as n`
  const end = tx`now() + interval '1 day' + interval '29 days' * (n % 1000) / 1000`
  await tx`
    insert into sessions (secret_hash, sid, user_id, expires_at)
    select sha256(('session ' || n)::bytea), ${sqlIdOf(tx, 'ses', 'n')}, ${sqlIdOf(tx, 'usr', 'n')}, ${end} from ${numbers}`
  await tx`
    insert into refresh_families (id, application_id, user_id, scope, audience, sid, auth_time, expires_at)
    select ${sqlIdOf(tx, 'grt', 'n')}, ${sqlIdOf(tx, 'app', 'n')}, ${sqlIdOf(tx, 'usr', 'n')}, '{openid,offline_access}', null,
           ${sqlIdOf(tx, 'ses', 'n')}, now(), ${end}
    from ${numbers}`
  await tx`
    insert into refresh_tokens (token_hash, family_id)
    select sha256(('refresh ' || n)::bytea), ${sqlIdOf(tx, 'grt', 'n')} from ${numbers}`
}

async function applications(tx: DbOrTransaction, from: number, until: number): Promise<void> {
  const numbers = tx`generate_series(${from}::int, ${until}::int) as n`
  await tx`
    insert into applications (id, name, type, token_endpoint_authentication, client_credentials, team_id, redirect_uris)
    select ${sqlIdOf(tx, 'app', 'n')}, 'Application ' || md5(n::text), 'web', 'either', true, ${sqlIdOf(tx, 'tea', `n / ${PER_TEAM}`)},
           array['https://' || n || '.example/callback']
    from ${numbers}`
  await tx`
    insert into application_secrets (id, application_id, name, secret_hash)
    select ${sqlIdOf(tx, 'sec', 'n')}, ${sqlIdOf(tx, 'app', 'n')}, 'grow', sha256(('secret ' || n)::bytea) from ${numbers}`
  await tx`
    insert into facility_connections (environment, facility_id, application_id)
    select 'sandbox', ${sqlIdOf(tx, 'fac', `n / ${PER_FACILITY}`)}, ${sqlIdOf(tx, 'app', 'n')} from ${numbers}`
}

/** Half of those about facilities are a person's, the others their application's. Their secrets cannot be opened. */
async function webhooks(tx: DbOrTransaction, from: number, until: number): Promise<void> {
  const kind = tx`case when n % ${PER_FACILITY}::int = ${ABOUT_PEOPLE}::int then 'user' else 'facility' end`
  const owner = tx`
    case when n % 2 = 0 or n % ${PER_FACILITY}::int = ${ABOUT_PEOPLE}::int then ${sqlIdOf(tx, 'usr', 'n')} end`
  const numbers = tx`generate_series(${from}::int, ${until}::int) as n`
  await tx`
    insert into webhooks (id, kind, environment, application_id, user_id, url, events, secrets_sealed)
    select ${sqlIdOf(tx, 'whk', 'n')}, ${kind}, 'sandbox', ${sqlIdOf(tx, 'app', 'n')}, ${owner}, 'https://' || n || '.example/hooks',
           '{all}', decode(repeat('00', 90), 'hex')
    from ${numbers}`
  await tx`insert into webhook_schedules (webhook_id) select ${sqlIdOf(tx, 'whk', 'n')} from ${numbers}`
  await tx`
    insert into webhook_counts (application_id, environment, kind, user_id, webhooks)
    select ${sqlIdOf(tx, 'app', 'n')}, 'sandbox', ${kind}, coalesce(${owner}, ''), 1 from ${numbers}`
  await tx`
    insert into webhook_facilities (webhook_id, environment, facility_id, position)
    select ${sqlIdOf(tx, 'whk', 'n')}, 'sandbox', ${sqlIdOf(tx, 'fac', `n / ${PER_FACILITY}`)}, 1
    from ${numbers} where n % ${PER_FACILITY}::int <> ${ABOUT_PEOPLE}::int`
}

function events(size: number, past: number): Part {
  return async (tx, from, until) => {
    const numbers = tx`generate_series(${from}::bigint, ${until}::bigint) as n`
    const at = tx`to_timestamp((${past}::bigint + n * ${PAST_MS}::bigint / ${size}::bigint) / 1000.0)`
    const day = tx`(${at} at time zone 'utc')::date`
    await tx`
      insert into event_ids (environment, id, body_hash, day)
      select 'sandbox', ${sqlIdOf(tx, 'evt', 'n')}, sha256(n::text::bytea), ${day} from ${numbers}`
    await tx`
      insert into events (day, environment, id, type, facility_id, body, created_at)
      select ${day}, 'sandbox', ${sqlIdOf(tx, 'evt', 'n')}, 'shift.created', ${sqlIdOf(tx, 'fac', `n / ${PER_FACILITY}`)},
             '{"data":"' || repeat('x', 300) || '"}', ${at}
      from ${numbers}`
  }
}

function deliveries(size: number, past: number): Part {
  return async (tx, from, until) => {
    const ms = tx`(${past}::bigint + n / ${PER_EVENT}::bigint * ${PAST_MS}::bigint / ${size}::bigint)`
    const id = tx`'dlv_' || lpad(to_hex(${ms}), 12, '0') || '7' || lpad(to_hex(n), 19, '0')`
    const at = tx`to_timestamp(${ms} / 1000.0)`
    const day = tx`(${at} at time zone 'utc')::date`
    const numbers = tx`generate_series(${from}::bigint, ${until}::bigint) as n`
    await tx`
      insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, attempts, created_at, finished_at)
      select ${day}, ${id}, ${sqlIdOf(tx, 'whk', `n % ${size}`)}, 'sandbox', ${sqlIdOf(tx, 'evt', `n / ${PER_EVENT}`)}, 'shift.created',
             false, 'delivered', 1, ${at}, ${at}
      from ${numbers}`
    await tx`
      insert into attempts (day, delivery_id, number, started_at, manual, url, status, duration_ms, response_head, response_body)
      select ${day}, ${id}, 1, ${at}, false, 'https://receiver.example/hooks', 200, 120, 'content-type: text/plain', 'ok'::bytea
      from ${numbers}`
  }
}
