import type { DbOrTransaction } from '../../platform/db.ts'
import { endAccess, endEverything } from '../accounts/end-access.ts'
import { allowScope } from '../consents/consent-store.ts'
import { connectApplication, grantAccess, upsertFacility } from '../facilities/facility-store.ts'
import { deletePeopleRows, holdPeople, insertPeople } from '../users/person-upsert-store.ts'
import { newSandbox } from './sandbox.ts'

/** How the test person is allowed to be seen: what every webhook about them rests on (decision D2). */
export type SandboxConsent = { audience: string; scope: string[] }

/** Made with the application, in its transaction; answers who the test person is. */
export async function makeSandbox(
  tx: DbOrTransaction,
  applicationId: string,
  passwordHash: string,
  consent: SandboxConsent,
): Promise<{ email: string }> {
  const { facilities, person } = newSandbox()
  await insertPeople(tx, [person])
  await setPassword(tx, person.id, passwordHash)
  for (const facility of facilities) {
    await upsertFacility(tx, facility)
    await grantAccess(tx, facility, person.id)
    await connectApplication(tx, facility, applicationId)
  }
  await allowScope(tx, { userId: person.id, applicationId, audience: consent.audience }, consent.scope)
  await tx`
    insert into application_sandboxes (application_id, user_id, facility_ids)
    values (${applicationId}, ${person.id}, ${facilities.map(({ id }) => id)})`
  return { email: person.email }
}

export type Sandbox = {
  /** Null when there is none, or when the marketplace deleted them. */
  person: { id: string; name: string; email: string } | null
  /** Every facility of the sandbox that the application is connected to, whoever connected it; `more` when there are others. */
  facilities: Array<{ id: string; name: string }>
  more: boolean
}

const MOST_SHOWN = 20

export async function sandboxOf(db: DbOrTransaction, applicationId: string): Promise<Sandbox> {
  const [[person], facilities] = await Promise.all([
    db<Array<{ id: string; name: string; email: string }>>`
      select users.id, users.name, users.email from application_sandboxes join users on users.id = user_id
      where application_id = ${applicationId}`,
    db<Array<{ id: string; name: string }>>`
      select facilities.id, facilities.name from facility_connections as connection
      join facilities on facilities.environment = connection.environment and facilities.id = connection.facility_id
      where application_id = ${applicationId} and connection.environment = 'sandbox'
      order by connection.facility_id limit ${MOST_SHOWN + 1}`,
  ])
  return {
    person: person === undefined ? null : { id: person.id, name: person.name, email: person.email },
    facilities: facilities.slice(0, MOST_SHOWN).map(({ id, name }) => ({ id, name })),
    more: facilities.length > MOST_SHOWN,
  }
}

/** As new: another password, no second factor, signed out everywhere, and allowed what they were allowed at first. */
export async function renewTestPerson(
  tx: DbOrTransaction,
  applicationId: string,
  passwordHash: string,
  consent: SandboxConsent,
): Promise<{ email: string } | null> {
  const [known] = await tx<Array<{ user_id: string | null }>>`
    select user_id from application_sandboxes where application_id = ${applicationId} for update`
  const userId = known?.user_id ?? ''
  const person = (await holdPeople(tx, [userId])).get(userId)
  if (person === undefined) return null
  await endEverything(tx, [userId], 'the test person begins anew')
  await setPassword(tx, userId, passwordHash)
  await allowScope(tx, { userId, applicationId, audience: consent.audience }, consent.scope)
  return { email: person.email }
}

/** With applications that are removed for good. */
export async function endSandboxes(tx: DbOrTransaction, applicationIds: readonly string[]): Promise<void> {
  const rows = await tx<Array<{ user_id: string | null; facility_ids: string[] }>>`
    delete from application_sandboxes where application_id = any(${applicationIds}) returning user_id, facility_ids`
  const people = rows.flatMap(({ user_id: id }) => id ?? [])
  await holdPeople(tx, people)
  await endAccess(tx, people, 'application removed')
  await deletePeopleRows(tx, people)
  await tx`
    delete from facilities
    where environment = 'sandbox' and id = any(${rows.flatMap(({ facility_ids: ids }) => ids)})`
}

async function setPassword(tx: DbOrTransaction, userId: string, passwordHash: string): Promise<void> {
  await tx`update users set password_hash = ${passwordHash}, updated_at = now() where id = ${userId}`
}
