import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ourMigrations } from '../../src/app/storage.ts'
import type { Db } from '../../src/platform/db.ts'
import { type Migration, migrate, migrationState } from '../../src/platform/migrate.ts'
import { openStorageDatabases, type StorageDatabase } from '../harness/storage-servers.ts'

const step = (number: number, sql: string, checksum = `sum ${number}`): Migration => ({
  number,
  name: `step-${number}`,
  sql,
  checksum,
})

for (const server of openStorageDatabases()) {
  describe(`migrations on ${server.name}`, { skip: server.missing }, () => {
    const open: StorageDatabase[] = []
    const fresh = async (): Promise<Db> => {
      const database = await server.create()
      open.push(database)
      return database.db
    }
    before(server.start)
    after(async () => {
      for (const database of open) await database.drop()
      await server.stop()
    })

    test('ours apply to an empty database, once', async () => {
      const db = await fresh()
      const ours = await ourMigrations()
      assert.deepEqual(
        await migrate(db, ours),
        ours.map(({ number }) => number),
      )
      assert.deepEqual(await migrate(db, ours), [])
      assert.equal(await migrationState(db, ours), 'done')
    })

    test('ten instances at the same moment apply each migration exactly once', async () => {
      const db = await fresh()
      const steps = [
        step(1, 'create table t (n int); insert into t values (1)'),
        step(2, 'select pg_sleep(0.05); insert into t values (2)'),
      ]
      const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(db, steps)))
      assert.deepEqual(
        applied.flat().toSorted((a, b) => a - b),
        [1, 2],
      )
      const rows = await db<Array<{ n: number }>>`select n from t order by n`
      assert.deepEqual(
        rows.map((row) => row.n),
        [1, 2],
      )
    })

    test('a migration that fails leaves nothing behind, and those before it stay', async () => {
      const db = await fresh()
      const steps = [step(1, 'create table kept (n int)'), step(2, 'create table gone (n int); select 1 / 0')]
      await assert.rejects(migrate(db, steps), /division by zero/)
      const [row] = await db`select to_regclass('kept') is not null as kept, to_regclass('gone') is null as gone`
      assert.deepEqual({ ...row }, { kept: true, gone: true })
      assert.equal(await migrationState(db, steps), 'pending')
    })

    test('who meets a deadlock with a running version tries again', async () => {
      const db = await fresh()
      const first = step(1, 'create sequence tries')
      await migrate(db, [first])
      // A sequence remembers what was rolled back.
      const second = step(
        2,
        `create table after_all (n int);
         do $$ begin if nextval('tries') < 3 then raise sqlstate '40P01'; end if; end $$`,
      )
      assert.deepEqual(await migrate(db, [first, second]), [2])
      assert.equal(await migrationState(db, [first, second]), 'done')
    })

    test('a database that is newer than the program is refused', async () => {
      const db = await fresh()
      const steps = [step(1, 'select 1'), step(2, 'select 2')]
      await migrate(db, steps)
      await assert.rejects(migrate(db, steps.slice(0, 1)), /at migration 2 \(step-2\), this program knows only 1/)
      assert.equal(await migrationState(db, steps.slice(0, 1)), 'newer')
    })

    test('a migration that was edited after it was applied is refused', async () => {
      const db = await fresh()
      await migrate(db, [step(1, 'select 1')])
      await assert.rejects(migrate(db, [step(1, 'select 2', 'another')]), /never edited/)
    })
  })
}
