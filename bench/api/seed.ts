import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { connectApplication, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import type { Db } from '../../src/platform/db.ts'

/** Enough that no two requests in flight are of the same application. */
export const APPLICATIONS = 100
export const SECRET = 'bench-secret-0123456789abcdef0123456789abcdef'

export function applicationId(number: number): string {
  return `app_019a00000000700080000000${String(number).padStart(8, '0')}`
}

export function facilityId(number: number): string {
  return `fac_bench_${number % 10}`
}

/** Applications that may do as much as they like, each connected to one facility. */
export async function seedApplications(db: Db): Promise<void> {
  for (let number = 0; number < 10; number += 1) {
    await upsertFacility(db, {
      environment: 'sandbox',
      id: facilityId(number),
      name: `Bench ${number}`,
      city: null,
      state: null,
    })
  }
  for (let number = 0; number < APPLICATIONS; number += 1) {
    const id = applicationId(number)
    const unlimited = 1_000_000_000
    const application = newApplication({
      id,
      name: `Bench ${number}`,
      type: 'machine',
      clientCredentials: true,
      apiRatePerSecond: unlimited,
      apiRateBurst: unlimited,
      webhooksPerApplication: unlimited,
    })
    await insertApplication(db, application)
    await insertApplicationSecret(db, id, 'bench', SECRET + number)
    await connectApplication(db, { environment: 'sandbox', id: facilityId(number) }, id)
  }
}

/** Webhooks of people and applications that nobody asks for, to fill the tables. Their secrets cannot be opened. */
export async function seedOtherWebhooks(db: Db, count: number): Promise<void> {
  const step = 100_000
  await db`
    insert into users (id, role, email, email_folded, name)
    select 'usr_bench_' || n, 'NURSE_USER', n || '@bench.example', n || '@bench.example', 'Bench'
    from generate_series(1, ${Math.max(1, Math.ceil(count / 20))}::int) as n`
  await db`
    insert into applications (id, name, type, token_endpoint_authentication)
    select 'app_other_' || n, 'Other ' || n, 'web', 'either' from generate_series(0, 999) as n`
  for (let from = 0; from < count; from += step) {
    const until = Math.min(count, from + step)
    await db.begin(async (tx) => {
      // Each row is right by how it is made; checking every one would take longer than everything else.
      await tx`set local session_replication_role = replica`
      await tx`
      insert into webhooks (id, kind, environment, application_id, user_id, url, events, secrets_sealed)
      select 'whk_' || lpad(to_hex(n), 32, '0'), case when n % 4 = 0 then 'user' else 'facility' end, 'sandbox', 'app_other_' || n % 1000,
             'usr_bench_' || (n / 20 + 1), 'https://example.com/' || n, '{shift.created}', decode(repeat('00', 90), 'hex')
      from generate_series(${from}::int, ${until - 1}::int) as n`
      await tx`
      insert into webhook_schedules (webhook_id) select 'whk_' || lpad(to_hex(n), 32, '0')
      from generate_series(${from}::int, ${until - 1}::int) as n`
      await tx`
      insert into webhook_facilities (webhook_id, environment, facility_id, position)
      select 'whk_' || lpad(to_hex(n), 32, '0'), 'sandbox', 'fac_other_' || n % 10000, 1
      from generate_series(${from}::int, ${until - 1}::int) as n where n % 4 <> 0`
    })
  }
  await db`vacuum analyze`
}

export async function seedOtherFacilities(db: Db): Promise<void> {
  await db`
    insert into facilities (environment, id, name)
    select 'sandbox', 'fac_other_' || n, 'Other' from generate_series(0, 9999) as n`
}
