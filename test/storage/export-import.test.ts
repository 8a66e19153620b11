import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { LEFT_OUT_TABLES } from '../../src/app/left-out-tables.ts'
import { ourMigrations } from '../../src/app/storage.ts'
import { ensureDeliveryDays } from '../../src/domain/deliveries/retention-store.ts'
import { ensureRequestDays } from '../../src/domain/requests/request-days-store.ts'
import { type Db, openDatabase } from '../../src/platform/db.ts'
import { migrate, migrationState } from '../../src/platform/migrate.ts'
import { presentTables, tablesMadeBy } from '../../src/platform/transfer/catalog.ts'
import { startHandover } from '../harness/handover.ts'
import { openStorageDatabases, type StorageDatabase } from '../harness/storage-servers.ts'
import { createTestDatabase } from '../harness/test-database.ts'
import { contentOf, exported, imported } from '../harness/transfer.ts'

// Everything that the demo seeds, and values that are easily spoilt on the way, from one database to others.

const source = await createTestDatabase()
let whole: Buffer

before(async () => {
  const service = await startHandover({}, () => source.url)
  await service.stop()
  await addOddValues(source.db)
  whole = await exported(source.db)
})
after(source.drop)

async function addOddValues(db: Db): Promise<void> {
  const odd = 'tab\t line\n return\r backslash \\ end \\. null \\N quote " brace {,} Zoë \u{1F469}\u200D\u2695\uFE0F'
  await db`
    insert into users (id, role, email, email_folded, name, nickname, city)
    values ('usr_odd', 'NURSE_USER', 'odd@example.com', 'odd@example.com', ${odd}, '', '\\N')`
  await db`
    insert into applications (id, name, type, redirect_uris, token_endpoint_authentication)
    values ('app_odd', ${odd}, 'web', ${['', 'null', odd, '{}']}, 'either')`
  await db`
    insert into audit_log (id, actor_kind, actor_name, action, before, after)
    values ('aud_odd', 'command', '', 'odd', ${db.json({ odd, deep: [null, 1e-7, { '': true }] })}, 'null'::jsonb)`
  await db`
    insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
    values ('whk_odd', 'user', 'sandbox', 'app_odd', 'https://partner.example/', '{all}',
            decode('00ff0a0d5c2e09', 'hex'))`
  await db`
    insert into webhook_schedules (webhook_id, due_at, level, not_before)
    values ('whk_odd', 'infinity', 0.1 + 0.2, '0044-03-15 12:00:00+00 BC')`
  // A day that no start makes by itself any more, and a row that goes over many frames.
  await db`create table events_20200229 partition of events for values from ('2020-02-29') to ('2020-03-01')`
  await db`
    insert into events (day, environment, id, type, body)
    values ('2020-02-29', 'sandbox', 'evt_old', 'shift.created', ${`${odd}${'x'.repeat(3_000_000)}`})`
}

for (const server of openStorageDatabases()) {
  describe(`from PostgreSQL 18 to ${server.name}`, { skip: server.missing }, () => {
    let target: StorageDatabase
    before(async () => {
      await server.start()
      target = await server.create()
    })
    after(async () => {
      await target.drop()
      await server.stop()
    })

    test('everything arrives, to the byte, and the tables are as migrations leave them', async () => {
      const { db } = target
      const { rows } = await imported(db, whole)
      assert.ok(rows > 50, `${rows} rows`)
      assert.deepEqual(await contentOf(db), await contentOf(source.db))
      assert.equal(await migrationState(db, await ourMigrations()), 'done')
      assert.deepEqual(await countersOf(db), await countersOf(source.db), 'no number is given twice')
      // Where midnight came in between, the import has made a day more than there was to export.
      await ensureDeliveryDays(source.db)
      await ensureRequestDays(source.db)
      assert.deepEqual(await describeSchema(db), await describeSchema(source.db))

      await db`update applications set name = 'changed' where id = 'app_odd'`
      const [announced] = await db<Array<{ key: string; fresh: boolean }>>`
        select key, xact > (select min(xact) from announcements) as fresh from announcements order by id desc limit 1`
      assert.deepEqual({ ...announced }, { key: 'app_odd', fresh: true }, 'triggers work again')
    })
  })
}

async function countersOf(db: Db): Promise<unknown> {
  return [...(await db`select sequencename, last_value from pg_sequences order by 1`)].map((row) => ({ ...row }))
}

/** Columns, constraints, indexes and triggers, of the days too. */
async function describeSchema(db: Db): Promise<string[]> {
  const rows = await db<Array<{ line: string }>>`
    select concat_ws(' ', table_name, ordinal_position, column_name, data_type, column_default, is_nullable) as line
    from information_schema.columns where table_schema = 'public'
    union all
    select concat_ws(' ', conrelid::regclass, contype, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n'
    union all
    select concat_ws(' ', tablename, regexp_replace(indexdef, 'INDEX \\S+', 'INDEX')) from pg_indexes where schemaname = 'public'
    union all
    select concat_ws(' ', tgrelid::regclass, tgname, tgenabled) from pg_trigger where not tgisinternal
    order by 1`
  return rows.map(({ line }) => line)
}

test('every table goes along, or is left out for a reason', async () => {
  const rows = await source.db<Array<{ name: string }>>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`
  const all = rows.map(({ name }) => name)
  const goes = await presentTables(source.db, tablesMadeBy(await ourMigrations()))
  assert.deepEqual(
    all.filter((name) => !goes.includes(name)),
    ['schema_migrations'],
    'tablesMadeBy does not see a migration that makes a table in another way than those before it',
  )
  const named = [...whole.toString('latin1').matchAll(/\{"kind":"table-end","table":"(\w+)"/g)].map(
    ([, name = '']) => name,
  )
  assert.deepEqual([...named, ...Object.keys(LEFT_OUT_TABLES)].toSorted(), all)
  const others = await source.db`
    select 1 from pg_class seq where relkind = 'S' and relnamespace = 'public'::regnamespace
      and not exists (select 1 from pg_depend where objid = seq.oid and deptype in ('a', 'i'))`
  assert.equal(others.length, 0, 'a counter that belongs to no table would begin anew')
})

test('an ordinary account is enough, and what else is in the database is left alone', async () => {
  const target = await createTestDatabase('empty')
  const name = new URL(target.url).pathname.slice(1)
  const ordinary = `ordinary_${name}`
  await target.db.unsafe(`
    create role ${ordinary}; grant create on schema public to ${ordinary};
    create table their_own (id int); grant select on their_own to ${ordinary};
    insert into their_own values (1)`)
  // Every connection from here on has the rights of that account only.
  await target.db.unsafe(`alter database ${name} set role = ${ordinary}`)
  const db = openDatabase({ url: target.url }, { prepare: true, poolSize: 1 })
  try {
    const [who] = await db`select current_user as who, current_setting('is_superuser') as super`
    assert.deepEqual({ ...who }, { who: ordinary, super: 'off' })
    await imported(db, whole)
    const { their_own, ...ours } = await contentOf(db)
    assert.deepEqual(ours, await contentOf(source.db))
    assert.match(their_own ?? '', /^1 /)
    assert.ok(!(await exported(db)).includes('their_own'))
  } finally {
    await db.end({ timeout: 1 })
    await target.db.unsafe(`drop owned by ${ordinary}`)
    await target.drop()
    await source.db.unsafe(`drop role ${ordinary}`)
  }
})

test('an export of an older version is brought up to date', async () => {
  const migrations = await ourMigrations()
  const older = migrations.slice(0, 7)
  const [old, target] = [await createTestDatabase('empty'), await createTestDatabase('empty')]
  try {
    await migrate(old.db, older)
    await old.db`insert into teams (id, name) values ('tem_old', 'Old')`
    // By the newer program, which has not migrated yet: before an upgrade is when a backup is wanted.
    await imported(target.db, await exported(old.db))
    assert.equal(await migrationState(target.db, migrations), 'done')
    assert.deepEqual([...(await target.db`select id from teams`)], [{ id: 'tem_old' }])
  } finally {
    await old.drop()
    await target.drop()
  }
})

test('one moment of a database that is being written to: what belongs together is together', async () => {
  const [busy, target] = [await createTestDatabase(), await createTestDatabase('empty')]
  const ending = new AbortController()
  let pairs = 0
  const writers = [1, 2, 3].map(async (writer) => {
    for (let turn = 0; !ending.signal.aborted; turn++) {
      const id = `tem_${writer}_${turn}`
      await busy.db.begin(async (tx) => {
        // The table that is exported last first.
        await tx`insert into teams (id, name) values (${id}, 'Team')`
        await tx`insert into audit_log (id, actor_kind, actor_name, team_id, action) values (${id}, 'command', '', ${id}, 'x')`
      })
      pairs += 1
    }
  })
  try {
    const pace = async () => void (await busy.db`select pg_sleep(0.002)`)
    const { manifest } = await imported(target.db, await exported(busy.db, { pace }))
    assert.ok(
      manifest.tables.findIndex(({ name }) => name === 'audit_log') <
        manifest.tables.findIndex(({ name }) => name === 'teams'),
    )
    const [counts] = await target.db<[{ teams: number; logged: number; lone: number }]>`
      select (select count(*) from teams)::int as teams, (select count(*) from audit_log)::int as logged,
             (select count(*) from teams full join audit_log using (id) where teams.id is null or team_id is null)::int as lone`
    assert.deepEqual({ ...counts }, { teams: counts.teams, logged: counts.teams, lone: 0 })
    assert.ok(counts.teams < pairs, 'the writers went on meanwhile')
  } finally {
    ending.abort()
    await Promise.all(writers)
    await busy.drop()
    await target.drop()
  }
})
