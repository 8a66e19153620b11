import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { journalFile, openJournal } from '../../src/cli/listen/journal.ts'
import { startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { type Integrator, startListenScene } from '../harness/listen-scene.ts'
import { openTestStream } from '../harness/listener-stream.ts'

const scene = await startListenScene()
const proxy = await startCuttableProxy({ host: '127.0.0.1', port: Number(new URL(scene.url).port) })
const at = `http://127.0.0.1:${proxy.port}`
after(async () => {
  await proxy.close()
  await scene.stop()
})

/** Another computer under the same name: it is handed what waits, and nobody hears of it again. */
async function handedElsewhere({ application }: Integrator, count: number): Promise<void> {
  const stream = await openTestStream(scene.url, await scene.appToken(application, 'sandbox'), 'laptop')
  await stream.handedBecome(count)
  stream.close()
}

test('another computer had the listener since: that this one has a journal makes nothing certain', async () => {
  const ann = await scene.integratorAtWork()
  const before = ann.listenHere()
  await before.says(/Ready/)
  await ann.happen()
  await before.says(/→ 200/)
  before.interrupt()
  assert.equal(await before.ended, null)
  await ann.happen(2)
  await handedElsewhere(ann, 2)
  const again = ann.listenHere()
  await again.says(/(?:possibly repeated[^]*){2}/)
  await ann.statesBecome(['delivered', 'delivered', 'delivered'])
  again.interrupt()
  assert.equal(await again.ended, null)
})

test('another computer had the listener while this one had no network', async () => {
  const ann = await scene.integratorAtWork()
  const listening = ann.listenHere({ at })
  await listening.says(/Ready/)
  await proxy.cut('refuse')
  await listening.says(/connection lost/)
  const [repeated] = await ann.happen()
  await handedElsewhere(ann, 1)
  await proxy.mend()
  await listening.says(new RegExp(`${repeated} {2}→ 200 {2}\\d+ ms {2}possibly repeated\\n`))
  const [fresh] = await ann.happen()
  await listening.says(new RegExp(`${fresh} {2}→ 200 {2}\\d+ ms\\n`))
  listening.interrupt()
  assert.equal(await listening.ended, null)
})

test('killed between the answer to a repetition and its line: the next one says it', async () => {
  const ann = await scene.integratorAtWork()
  const listener = { baseUrl: scene.url, clientId: ann.application.id, name: 'laptop' }
  const journal = await openJournal(journalFile(ann.env, listener))
  const deliveryId = 'dlv_00000000000070008000000000000000'
  const report = { deliveryId, attempt: 1, url: 'http://localhost/', status: 200, durationMs: 1 }
  await journal.answered(`${deliveryId} 1`, report, 'repeated')
  await journal.close(null)
  const next = ann.listenHere()
  await next.says(/^dlv_0+7\d+ was answered before the last end \(repeated\); reporting it now\.$/m)
  next.interrupt()
  assert.equal(await next.ended, null)
})

test('ended and begun again by nobody but this computer: what it had not begun to forward is no repetition', async () => {
  const ann = await scene.integratorAtWork()
  const first = ann.listenHere()
  await first.says(/Ready/)
  first.interrupt()
  await first.ended
  await ann.happen(3)
  // As if they had been on their way to the one that ended.
  await scene.db`
    update deliveries set sent = true from webhooks
    where webhooks.id = webhook_id and application_id = ${ann.application.id}`
  const second = ann.listenHere()
  await second.says(/caught up 3 missed/)
  assert.doesNotMatch(second.said(), /repeated/)
  second.interrupt()
  await second.ended
})

test('asleep for an hour, without network and with an answer on its way: it does not give up, and the answer counts', async () => {
  const ann = await scene.integratorAtWork()
  const listening = ann.listenHere({ at })
  await listening.says(/Ready/)
  let answer = () => {}
  ann.program.reply = (response) => {
    answer = () => void response.end()
  }
  await ann.happen()
  await ann.program.arrivalsBecome(1)
  await proxy.cut('refuse')
  await listening.says(/connection lost/)
  const now = performance.now.bind(performance)
  const clock = mock.method(performance, 'now', () => now() + 3_600_000)
  answer()
  await listening.says(/→ 200/)
  await proxy.mend()
  await listening.says(/connected again/)
  await ann.statesBecome(['delivered'])
  listening.interrupt()
  assert.equal(await listening.ended, null)
  clock.mock.restore()
})
