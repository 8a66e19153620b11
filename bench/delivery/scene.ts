import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { connectApplication, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import type { Db } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { secretHash } from '../../src/platform/opaque-secret.ts'

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='
export const PLATFORM_KEY = `hpk_${'b'.repeat(43)}`
export const WEBHOOKS = 200

/** How many webhooks each event reaches. */
export const FAN_OUTS = [1, 10, 100]

export function facilityOf(fanOut: number, group: number): string {
  return `fac_${fanOut}_${group}`
}

/** For each fan-out 200 webhooks at the receiver, in groups that share a facility. */
export function webhooksOfScene(receiverPort: number): Array<{ facilityId: string; url: string }> {
  return FAN_OUTS.flatMap((fanOut) =>
    Array.from({ length: WEBHOOKS }, (_, number) => ({
      facilityId: facilityOf(fanOut, Math.floor(number / fanOut)),
      url: `http://127.0.0.1:${receiverPort}/${fanOut}/${number}`,
    })),
  )
}

/** The webhooks of one application, with its limits raised. */
export async function seedScene(db: Db, masterKey: string, receiverPort: number): Promise<void> {
  const cipher = createCipher(Buffer.from(masterKey, 'base64'))
  const application = newApplication({ id: newId('app'), name: 'Bench', type: 'machine' })
  await insertApplication(db, application)
  await seedPlatformKey(db)
  for (const { facilityId, url } of webhooksOfScene(receiverPort)) {
    const facility = { environment: 'sandbox' as const, id: facilityId }
    await upsertFacility(db, { ...facility, name: 'Bench', city: null, state: null })
    await connectApplication(db, facility, application.id)
    const webhook = {
      id: newId('whk'),
      kind: 'facility' as const,
      environment: 'sandbox' as const,
      applicationId: application.id,
      userId: null,
      url,
      events: ['shift.created'],
      facilities: [facilityId],
      secrets: [SECRET],
    }
    await insertWebhook(db, cipher, webhook, 1_000_000)
  }
  await db`update webhook_schedules set per_second = 10000, at_once = 100`
  await db`vacuum analyze`
}

export async function seedPlatformKey(db: Db): Promise<void> {
  await db`
    insert into platform_keys (id, name, environment, key_hash)
    values (${newId('plk')}, 'bench', 'sandbox', ${secretHash(PLATFORM_KEY)})`
}

/** Deliveries that were finished long ago, and what a day of them needs. */
export async function seedOldDeliveries(db: Db, count: number): Promise<void> {
  const step = 500_000
  for (let from = 0; from < count; from += step) {
    await db`
      insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, attempts, created_at)
      select (now() at time zone 'utc')::date - 1, 'dlv_' || lpad(to_hex(n), 32, '0'), 'whk_' || lpad(to_hex(n % 1000000), 32, '0'), 'sandbox',
             'evt_' || n, 'shift.created', false, 'delivered', 1, now() - interval '1 day'
      from generate_series(${from}::int, ${from + step - 1}::int) as n`
  }
  await db`vacuum analyze finished_deliveries`
}
