import { type Application, newApplication } from '../../domain/applications/application.ts'
import {
  insertApplication,
  insertApplicationSecret,
  registerPostLogoutRedirectUri,
  registerRedirectUri,
} from '../../domain/applications/application-store.ts'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import { connectApplication, grantAccess, upsertFacility } from '../../domain/facilities/facility-store.ts'
import { insertPlatformKey } from '../../domain/platform-keys/platform-key-store.ts'
import type { User } from '../../domain/users/user.ts'
import { insertUser, userExists } from '../../domain/users/user-store.ts'
import type { DbOrTransaction } from '../../platform/db.ts'
import type { Deps } from '../deps.ts'
import { demoPasswordHasher, type HashDemoPassword } from './demo-password.ts'
import { DEMO_FACILITIES, type DemoValues, demoId } from './demo-values.ts'
import { demoAgent, seedStaff } from './seed-staff.ts'
import { demoTeam, seedTeam } from './seed-team.ts'

/** People, facilities, applications and keys to try everything with. What is there already is left as its owner made it. */
export async function seedDemo({ db, cipher }: Deps, values: DemoValues): Promise<void> {
  const hashPassword = demoPasswordHasher(values.DEMO_PASSWORD)
  const team = await demoTeam(db, cipher, hashPassword, values)
  const agent = await demoAgent(db, cipher, hashPassword, values)
  const people = demoPeople(values, (name) => demoId(cipher, 'usr', name))
  const newcomers = await withPasswords(db, hashPassword, people)
  await db.begin(async (tx) => {
    await seedStaff(tx, agent)
    for (const environment of ENVIRONMENTS) await seedFacilities(tx, environment, values)
    for (const person of newcomers) await insertUser(tx, person)
    for (const { id, mayAccess } of people) await seedAccess(tx, id, mayAccess, values)
    const applications = demoApplications(values)
    for (const { application, secret } of applications) await seedApplication(tx, application, secret)
    await seedTeam(
      tx,
      team,
      applications.map(({ application }) => application.id),
    )
    for (const environment of ENVIRONMENTS) {
      for (const id of facilityIds(environment, values).slice(0, 2)) {
        await connectApplication(tx, { environment, id }, values.MACHINE_CLIENT_ID)
      }
      const key = environment === 'production' ? values.PLATFORM_KEY_PROD : values.PLATFORM_KEY
      await insertPlatformKey(tx, { id: demoId(cipher, 'plk', environment), name: 'demo', environment, key })
    }
  })
}

type DemoPerson = User & { mayAccess: ReadonlyArray<(typeof DEMO_FACILITIES)[number]> }

function demoPeople(values: DemoValues, id: (name: string) => string): DemoPerson[] {
  const person = { emailVerified: true, username: null, picture: null, phoneNumberVerified: true }
  return [
    {
      ...person,
      id: id('nurse'),
      role: 'NURSE_USER',
      email: values.NURSE_EMAIL,
      username: 'nurse',
      name: 'Demo Nurse',
      nickname: 'Nurse',
      phoneNumber: '+15550100001',
      city: 'Portland',
      state: 'OR',
      mayAccess: ['riverside', 'hillcrest'],
    },
    {
      ...person,
      id: id('nurse 2'),
      role: 'NURSE_USER',
      email: 'nurse2@example.com',
      name: 'Second Demo Nurse',
      nickname: null,
      phoneNumber: '+15550100002',
      city: 'Salem',
      state: 'OR',
      mayAccess: ['lakeview'],
    },
    {
      ...person,
      id: id('facility'),
      role: 'FACILITY_USER',
      email: values.FACILITY_EMAIL,
      username: 'facility',
      name: 'Demo Facility',
      nickname: 'Facility',
      phoneNumber: '+15550100003',
      city: 'Portland',
      state: 'OR',
      mayAccess: ['riverside', 'hillcrest'],
    },
    {
      ...person,
      id: id('facility 2'),
      role: 'FACILITY_USER',
      email: 'facility2@example.com',
      name: 'Second Demo Facility',
      nickname: null,
      phoneNumber: '+15550100004',
      city: 'Salem',
      state: 'OR',
      mayAccess: ['lakeview'],
    },
  ]
}

function demoApplications(values: DemoValues): Array<{ application: Application; secret: string | null }> {
  return [
    {
      application: newApplication({
        id: values.MACHINE_CLIENT_ID,
        name: 'Demo machine',
        type: 'machine',
        clientCredentials: true,
      }),
      secret: values.MACHINE_CLIENT_SECRET,
    },
    {
      application: newApplication({ id: values.OFF_CLIENT_ID, name: 'Demo machine, not enabled', type: 'machine' }),
      secret: values.OFF_CLIENT_SECRET,
    },
    {
      application: newApplication({
        id: values.WEB_CLIENT_ID,
        name: 'Demo web application',
        type: 'web',
        redirectUris: [values.WEB_REDIRECT_URI],
        postLogoutRedirectUris: [`${values.AUTH_URL}/demo/client`],
      }),
      secret: values.WEB_CLIENT_SECRET,
    },
    {
      application: newApplication({
        id: values.SPA_CLIENT_ID,
        name: 'Demo single-page application',
        type: 'spa',
        redirectUris: [values.SPA_REDIRECT_URI],
        postLogoutRedirectUris: [`${values.AUTH_URL}/demo/client`],
        implicit: true,
      }),
      secret: null,
    },
    {
      application: newApplication({
        id: values.TRUSTED_CLIENT_ID,
        name: 'Demo trusted application',
        type: 'web',
        passwordGrant: true,
        firstParty: true,
      }),
      secret: values.TRUSTED_CLIENT_SECRET,
    },
  ]
}

/** A password hash costs tens of milliseconds, so only people who are not there yet get one. */
async function withPasswords(
  db: DbOrTransaction,
  hashPassword: HashDemoPassword,
  people: DemoPerson[],
): Promise<Array<DemoPerson & { passwordHash: string }>> {
  const known = await Promise.all(people.map(({ id }) => userExists(db, id)))
  const missing = people.filter((_, position) => !known[position])
  return Promise.all(missing.map(async (person) => ({ ...person, passwordHash: await hashPassword() })))
}

async function seedFacilities(tx: DbOrTransaction, environment: Environment, values: DemoValues): Promise<void> {
  for (const [position, id] of facilityIds(environment, values).entries()) {
    const name = DEMO_FACILITIES[position] ?? id
    await upsertFacility(tx, {
      environment,
      id,
      name: `${name.charAt(0).toUpperCase()}${name.slice(1)} Care Center`,
      city: 'Portland',
      state: 'OR',
    })
  }
}

async function seedAccess(
  tx: DbOrTransaction,
  userId: string,
  names: DemoPerson['mayAccess'],
  values: DemoValues,
): Promise<void> {
  for (const environment of ENVIRONMENTS) {
    const ids = facilityIds(environment, values)
    for (const name of names) {
      const id = ids[DEMO_FACILITIES.indexOf(name)]
      if (id !== undefined) await grantAccess(tx, { environment, id }, userId)
    }
  }
}

async function seedApplication(tx: DbOrTransaction, application: Application, secret: string | null): Promise<void> {
  const isNew = await insertApplication(tx, application)
  if (isNew && secret !== null) await insertApplicationSecret(tx, application.id, 'demo', secret)
  // Another PORT than last time: the callback moved with it.
  for (const uri of application.redirectUris) await registerRedirectUri(tx, application.id, uri)
  for (const uri of application.postLogoutRedirectUris) await registerPostLogoutRedirectUri(tx, application.id, uri)
}

function facilityIds(environment: Environment, values: DemoValues): string[] {
  return (environment === 'production' ? values.PROD_FACILITIES : values.SANDBOX_FACILITIES).split(',')
}
