import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { createApplication } from '../../src/domain/applications/create-application-store.ts'
import { deleteApplication, removeDeletedApplications } from '../../src/domain/applications/delete-application-store.ts'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const { db, drop } = await createTestDatabase()
after(drop)

await insertIntegrator(db, { id: 'int_1', email: 'a@example.com', name: 'Ann', passwordHash: 'none' })
const doing = { actor: { kind: 'command', id: null, name: 'test' }, requestId: null } as const
const teamId = 'tem_1'
await insertTeam(db, { id: teamId, name: 'Rota', ownerId: 'int_1' }, doing)

async function create(): Promise<string> {
  const id = newId('app')
  const created = await createApplication(
    db,
    {
      teamId,
      application: newApplication({ id, name: 'Planner', type: 'web' }),
      secret: { id: newId('sec'), name: 'first', value: id },
      sandbox: { audience: 'sandbox', passwordHash: 'none' },
    },
    doing,
  )
  assert.equal(created.outcome, 'created')
  return id
}

const countsOf = async () => {
  const [row] = await db`
    select (select count(*)::int from applications) as applications, (select count(*)::int from users) as people,
           (select count(*)::int from facilities) as facilities, (select count(*)::int from webhooks) as webhooks,
           (select count(*)::int from application_secrets) as secrets, (select count(*)::int from consents) as consents`
  return { ...row }
}

test('after thirty days it goes for good, with its sandbox and all that was its own; others stay', async () => {
  const [old, recent, alive] = [await create(), await create(), await create()]
  for (const id of [old, recent, alive])
    await db`
      insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
      values (${`whk_${id}`}, 'facility', 'sandbox', ${id}, 'https://a.example', '{all}', '')`
  for (const applicationId of [old, recent]) await deleteApplication(db, { teamId, applicationId }, doing)
  await db`update applications set deleted_at = now() - interval '30 days 1 second' where id = ${old}`
  await db`update applications set deleted_at = now() - interval '29 days' where id = ${recent}`
  const [person] = await db<
    Array<{ id: string }>
  >`select user_id as id from application_sandboxes where application_id = ${old}`
  assert.equal(await removeDeletedApplications(db), 1)
  assert.equal(await removeDeletedApplications(db), 0)
  assert.deepEqual(await countsOf(), {
    applications: 2,
    people: 2,
    facilities: 4,
    webhooks: 2,
    secrets: 2,
    consents: 2,
  })
  assert.equal((await db`select 1 from applications where id = ${old}`).length, 0)
  assert.equal((await db`select 1 from users where id = ${person?.id ?? ''}`).length, 0)
  const revoked =
    await db`select 1 from announcements where topic = 'revocation' and key like ${`%${person?.id ?? ''}%`}`
  assert.ok(revoked.length > 0, 'their tokens are refused everywhere')
  assert.ok((await db`select 1 from audit_log where application_id = ${old}`).length > 0, 'the log stays')
})

test('an application whose test person the marketplace deleted goes as well, and two workers do it once', async () => {
  const id = await create()
  await db`delete from users where id = (select user_id from application_sandboxes where application_id = ${id})`
  await db`update applications set deleted_at = now() - interval '31 days' where id = ${id}`
  const removed = await Promise.all([removeDeletedApplications(db), removeDeletedApplications(db)])
  assert.equal(removed[0] + removed[1], 1)
})

test('one that has very much goes in slices: no statement takes so long that nothing would ever be removed any more', async () => {
  const id = await create()
  await db`
    insert into users (id, role, email, email_folded, name) values ('usr_1', 'NURSE_USER', 'n@example.com', 'n@example.com', 'N')`
  await db`
    insert into refresh_families (id, application_id, user_id, sid, scope, auth_time, expires_at)
    select 'fam_' || n, ${id}, 'usr_1', 'ses_1', '{}', now(), now() + interval '1 day' from generate_series(1, 12000) as n`
  await db.unsafe(`
    create function refuse_many() returns trigger language plpgsql as $$ begin
      if (select count(*) from gone) > 5000 then raise exception 'too many at once'; end if;
      return null;
    end $$;
    create trigger no_herds after delete on refresh_families referencing old table as gone
      for each statement execute function refuse_many()`)
  await db`update applications set deleted_at = now() - interval '31 days' where id = ${id}`
  assert.equal(await removeDeletedApplications(db), 1)
  assert.equal((await db`select 1 from refresh_families where application_id = ${id}`).length, 0)
})
