import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../../src/platform/db.ts'
import { startDatabaseProxy } from '../harness/database-proxy.ts'
import { attemptsOf, statesBecome, statesOf } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'

const scene = await startSendingScene('web')
after(scene.stop)
const { db } = scene

test('an outcome that the database will not take holds up no other', async () => {
  const facilityId = await scene.facility()
  const [bad, ...good] = await Promise.all(
    Array.from({ length: 8 }, () => scene.subscriber({ facilities: [facilityId] })),
  )
  assert.ok(bad)
  await db.unsafe(`
    create function refuse_attempt() returns trigger language plpgsql as $$
    begin raise exception 'no' using errcode = 'data_exception'; end $$;
    create trigger refuse_attempt before insert on attempts for each row when (new.url = '${bad.url}')
      execute function refuse_attempt()`)
  await scene.publish(Array.from({ length: 10 }, () => scene.event({ facilityId })))
  const loop = scene.loop()
  for (const { webhookId } of good) await statesBecome(db, webhookId, { delivered: 10 })
  assert.deepEqual(await statesOf(db, bad.webhookId), { pending: 10 })
  assert.equal((await attemptsOf(db, bad.webhookId)).length, 0)
  assert.ok(
    scene.logged.some((line) => line.includes('could not be settled')),
    'somebody is told',
  )
  await db.unsafe('drop trigger refuse_attempt on attempts')
  await loop.stop()
  await db`delete from deliveries`
})

test('a database that is far away makes sending slow, and not impossible', async () => {
  const proxy = await startDatabaseProxy({ delayMs: 120 })
  const far = openDatabase({ url: proxy.urlOf(scene.databaseUrl) }, { prepare: true, poolSize: 5 })
  try {
    const subscriber = await scene.subscriber()
    await scene.publish(10)
    const loop = scene.loop({ db: far })
    await statesBecome(db, subscriber.webhookId, { delivered: 10 })
    assert.equal(subscriber.arrivals.length, 10)
    await loop.stop()
  } finally {
    await far.end({ timeout: 1 })
    await proxy.close()
  }
})
