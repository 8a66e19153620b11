import { randomBytes } from 'node:crypto'
import { newApplication } from '../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../src/domain/applications/application-store.ts'
import { connectApplication, upsertFacility } from '../src/domain/facilities/facility-store.ts'
import { insertPlatformKey } from '../src/domain/platform-keys/platform-key-store.ts'
import type { Db } from '../src/platform/db.ts'
import { newId } from '../src/platform/ids.ts'
import { newOpaqueSecret } from '../src/platform/opaque-secret.ts'
import { createPasswordHasher } from '../src/platform/password-hash.ts'
import { addPerson } from '../test/harness/add-person.ts'

export type Credentials = { id: string; secret: string }

/** Who visitors are, and what they know. */
export type Seeded = {
  machine: Credentials
  web: Credentials
  people: readonly string[]
  password: string
  platformKey: string
  /** Events happen at the one; webhooks that come and go are at the other. */
  facilities: { busy: string; quiet: string }
}

export const CALLBACK = 'https://client.example/callback'

const PEOPLE = 8

/** Limits are for other tests to prove; here nobody is to be held up by them. */
const LIMITS = { ratePerSecond: 10_000, rateBurst: 20_000, apiRatePerSecond: 10_000, apiRateBurst: 20_000 }

export async function seed(db: Db): Promise<Seeded> {
  const add = async (settings: Partial<Parameters<typeof newApplication>[0]>): Promise<Credentials> => {
    const [id, secret] = [newId('app'), newOpaqueSecret()]
    await insertApplication(db, newApplication({ id, name: 'Soak', type: 'web', ...LIMITS, ...settings }))
    await insertApplicationSecret(db, id, 'soak', secret)
    return { id, secret }
  }
  const machine = await add({ type: 'machine', clientCredentials: true, webhooksPerApplication: 10_000 })
  const web = await add({ redirectUris: [CALLBACK], firstParty: true })
  const facilities = { busy: 'fac_soak_busy', quiet: 'fac_soak_quiet' }
  for (const id of Object.values(facilities)) {
    const environment = 'sandbox'
    await upsertFacility(db, { environment, id, name: id, city: 'Portland', state: 'OR' })
    await connectApplication(db, { environment, id }, machine.id)
  }
  const platformKey = `hpk_${newOpaqueSecret()}`
  await insertPlatformKey(db, { id: newId('plk'), name: 'soak', environment: 'sandbox', key: platformKey })
  const password = randomBytes(18).toString('base64url')
  return { machine, web, facilities, platformKey, password, people: await addPeople(db, password) }
}

async function addPeople(db: Db, password: string): Promise<string[]> {
  const passwordHash = await createPasswordHasher().hash(password)
  const logins = Array.from({ length: PEOPLE }, (_, number) => `person${number}@people.example`)
  for (const email of logins) await addPerson(db, 'NURSE_USER', { email, passwordHash })
  return logins
}
