import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { isDatabaseAway } from '../../src/platform/database-away.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { quietPort } from '../harness/quiet-port.ts'

test('of two hosts one says nothing and one is not there: the database is away, which is no fault of who asks', async () => {
  const silent = createServer()
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  after(() => silent.close())
  const address = silent.address()
  assert.ok(address !== null && typeof address === 'object')
  const hosts = `127.0.0.1:${address.port},127.0.0.1:${await quietPort()}`
  const db = openDatabase({ url: `postgres://somebody@${hosts}/handover` }, { prepare: true, poolSize: 2 })
  after(() => db.end({ timeout: 0 }))
  const failure = await db`select 1`.then(
    () => null,
    (error: unknown) => error,
  )
  assert.ok(isDatabaseAway(failure), String(failure))
})
