import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openDatabase } from '../../src/platform/db.ts'
import { sendUnsent, unsent } from '../../src/platform/unsent.ts'
import { startCountingProxy } from '../harness/counting-proxy.ts'
import { createTestDatabase } from '../harness/test-database.ts'

const database = await createTestDatabase('empty')
const url = new URL(database.url)
const proxy = await startCountingProxy(Number(url.port))
url.port = String(proxy.port)
const db = openDatabase({ url: url.href }, { prepare: true, poolSize: 2 })
after(async () => {
  await db.end()
  await proxy.close()
  await database.drop()
})

// While a thousand sockets and more are ready, the event loop reads for seconds before it comes to what was put off until the end of its
// turn: under such a crowd nobody would be answered in time whose query waits for it.
test('what was put off to the end of a turn can be sent before it, over every connection', async () => {
  await Promise.all([ask(), ask()])
  const before = proxy.sent()

  const answers = [ask(), ask()]
  await ticks()
  sendUnsent()
  // Here everything of this thread stands still, and nothing can leave any more.
  const until = performance.now() + 10_000
  while (proxy.sent() < before + 2 && performance.now() < until) proxy.waitForMore(proxy.sent(), 100)
  assert.equal(proxy.sent() - before, 2)

  assert.deepEqual((await Promise.all(answers)).flat(), [{ one: 1 }, { one: 1 }])
  assert.equal(unsent.size, 0)
})

function ask() {
  return db<Array<{ one: number }>>`select 1 as one`.execute()
}

/** As long as only promises and ticks follow upon each other, the loop is not gone on with. */
async function ticks(): Promise<void> {
  for (let tick = 0; tick < 10; tick += 1) await new Promise<void>((done) => process.nextTick(done))
}
