import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseConfig } from '../../src/app/config.ts'
import { serve } from '../../src/app/serve.ts'
import { USUAL_TIMING } from '../../src/cli/listen/follow.ts'
import { createLog } from '../../src/platform/log.ts'
import { type CuttableProxy, startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { type Integrator, type ListenHere, startListenScene } from '../harness/listen-scene.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { IS_SOAK } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startListenScene()
const proxies: CuttableProxy[] = []
after(async () => {
  for (const proxy of proxies) await proxy.close()
  await scene.stop()
})

/** Shorter than the service is silent, so that a silence need not be waited for: it only connects more often. */
const IMPATIENT = { silenceMs: 3_000 }

async function throughProxy(): Promise<{ proxy: CuttableProxy; at: string }> {
  const proxy = await startCuttableProxy({ host: '127.0.0.1', port: Number(new URL(scene.url).port) })
  proxies.push(proxy)
  return { proxy, at: `http://127.0.0.1:${proxy.port}` }
}

/** Who is impatient from now on would take a pause of this machine for a silence, and count anew what it has to catch up. */
async function mendFor(listening: ListenHere, proxy: CuttableProxy): Promise<void> {
  listening.bearSilence(USUAL_TIMING.silenceMs)
  await proxy.mend()
}

/** Every event arrived, and none twice. */
async function eachOnce({ program }: Integrator, events: readonly string[]): Promise<void> {
  const arrivals = await program.arrivalsBecome(events.length)
  assert.deepEqual(arrivals.map(({ eventId }) => eventId).toSorted(), events.toSorted())
}

for (const how of ['refuse', 'reset', 'hang'] as const) {
  test(`no network (${how}): it says so, comes back, and catches up what it missed`, async () => {
    const ann = await scene.integratorAtWork()
    const { proxy, at } = await throughProxy()
    const listening = ann.listenHere({ at, timing: how === 'hang' && !IS_SOAK ? IMPATIENT : {} })
    await listening.says(/Ready/)
    const before = await ann.happen(3)
    await ann.program.arrivalsBecome(3)
    await ann.statesBecome(['delivered', 'delivered', 'delivered'])
    await proxy.cut(how)
    const meanwhile = await ann.happen(7)
    if (IS_SOAK) await sleep(60_000)
    await listening.says(/connection lost, trying again/)
    await mendFor(listening, proxy)
    await listening.says(/caught up 7 missed/)
    const later = await ann.happen(2)
    await eachOnce(ann, [...before, ...meanwhile, ...later])
    await ann.statesBecome(Array.from({ length: 12 }, () => 'delivered'))
    assert.doesNotMatch(listening.said(), /repeated/)
    listening.interrupt()
    assert.equal(await listening.ended, null)
  })
}

test('an answer that cannot be reported is reported when the network is back, and nothing is forwarded twice', async () => {
  const ann = await scene.integratorAtWork()
  const { proxy, at } = await throughProxy()
  const listening = ann.listenHere({ at })
  await listening.says(/Ready/)
  const answers: Array<() => void> = []
  ann.program.reply = (response) => void answers.push(() => void response.end())
  await ann.happen(4)
  await ann.program.arrivalsBecome(4)
  await proxy.cut('refuse')
  for (const answer of answers) answer()
  await listening.says(/(?:→ 200[^]*){4}/)
  await listening.says(/connection lost/)
  await proxy.mend()
  await ann.statesBecome(['delivered', 'delivered', 'delivered', 'delivered'])
  await ann.program.arrivalsBecome(4)
  listening.interrupt()
  assert.equal(await listening.ended, null)
})

test('gives up after the time that it was told, not with 0, in one sentence', async () => {
  const ann = await scene.integratorAtWork()
  const { proxy, at } = await throughProxy()
  const command = ann.listen({ at, more: ['--give-up-after', '1s'] })
  await command.says(/Ready/)
  await proxy.cut('refuse')
  assert.equal(await command.ended, 1)
  assert.match(command.err(), /^handover: No connection to http:\/\/127\.0\.0\.1:\d+ for 1 s, so listen ends\./m)
})

test('killed while it forwards: the next one forwards it again, and says that it is a repetition', async () => {
  const ann = await scene.integratorAtWork()
  const killed = ann.listen()
  await killed.says(/Ready/)
  ann.program.reply = () => {}
  const [eventId] = await ann.happen()
  await ann.program.arrivalsBecome(1)
  killed.child.kill('SIGKILL')
  await killed.ended
  ann.program.reply = (response) => void response.end()
  const next = ann.listenHere()
  await next.says(new RegExp(`${eventId} {2}→ 200 {2}\\d+ ms {2}repeated\\n`))
  await ann.statesBecome(['delivered'])
  await ann.program.arrivalsBecome(2)
  next.interrupt()
  await next.ended
})

test('killed between the answer and its report: the next one only reports it', async () => {
  const ann = await scene.integratorAtWork()
  const { proxy, at } = await throughProxy()
  const killed = ann.listen({ at })
  await killed.says(/Ready/)
  let answer = () => {}
  ann.program.reply = (response) => {
    answer = () => void response.writeHead(202).end()
  }
  await ann.happen()
  await ann.program.arrivalsBecome(1)
  await proxy.cut('refuse')
  answer()
  await killed.says(/→ 202/)
  killed.child.kill('SIGKILL')
  await killed.ended
  await proxy.mend()
  const next = ann.listenHere({ at })
  await next.says(/was answered before the last end; reporting it now/)
  const [delivery] = await ann.statesBecome(['delivered'])
  assert.equal((await ann.attemptsOf(delivery?.id ?? ''))[0]?.status, 202)
  await ann.program.arrivalsBecome(1)
  next.interrupt()
  await next.ended
})

test('another computer takes over: what was handed out before may be a repetition, and says so', async () => {
  const ann = await scene.integratorAtWork()
  const first = ann.listen({ env: { XDG_STATE_HOME: '', HOME: scene.service.dataFolder } })
  await first.says(/Ready/)
  ann.program.reply = () => {}
  await ann.happen()
  await ann.program.arrivalsBecome(1)
  first.child.kill('SIGKILL')
  await first.ended
  ann.program.reply = (response) => void response.end()
  const second = ann.listenHere()
  await second.says(/possibly repeated/)
  second.interrupt()
  await second.ended
})

test('what was handed to it and got lost on its way is no repetition', async () => {
  const ann = await scene.integratorAtWork()
  const { proxy, at } = await throughProxy()
  const listening = ann.listenHere({ at, timing: IMPATIENT })
  await listening.says(/Ready/)
  // Handed out into a connection that is dead already.
  await proxy.cut('hang')
  const events = await ann.happen(5)
  const areOut = async () => {
    const rows = await scene.db`
      select 1 from deliveries join webhooks on webhooks.id = webhook_id
      where application_id = ${ann.application.id} and sent`
    return rows.length === 5
  }
  await soon(areOut)
  await mendFor(listening, proxy)
  await eachOnce(ann, events)
  assert.doesNotMatch(listening.said(), /repeated/)
  listening.interrupt()
  assert.equal(await listening.ended, null)
})

test('asleep and awake again (SIGSTOP, SIGCONT): nothing is lost, nothing comes twice', async () => {
  const ann = await scene.integratorAtWork()
  const command = ann.listen()
  await command.says(/Ready/)
  const before = await ann.happen(2)
  await ann.program.arrivalsBecome(2)
  command.child.kill('SIGSTOP')
  const meanwhile = await ann.happen(15)
  if (IS_SOAK) await sleep(60_000)
  command.child.kill('SIGCONT')
  const later = await ann.happen(1)
  await eachOnce(ann, [...before, ...meanwhile, ...later])
  await ann.statesBecome(Array.from({ length: 18 }, () => 'delivered'))
  assert.doesNotMatch(command.out(), /repeated/)
  command.child.kill('SIGINT')
  assert.equal(await command.ended, 0)
})

test('the service restarts: it ends the stream at once, and the listener comes back and misses nothing', async () => {
  const ann = await scene.integratorAtWork()
  const port = await quietPort()
  const config = parseConfig({
    HANDOVER_DEMO: '1',
    AUTH_URL: scene.url,
    DATABASE_URL: scene.service.database.url,
    HANDOVER_DATA_DIR: scene.service.dataFolder,
    PORT: String(port),
    METRICS_PORT: '0',
  })
  const start = () => serve(config, { role: 'web', log: createLog('silent'), say: () => {} })
  let service = await start()
  const listening = ann.listenHere({ at: `http://127.0.0.1:${port}` })
  await listening.says(/Ready/)
  const events = await ann.happen(2)
  await ann.statesBecome(['delivered', 'delivered'])
  await service.stop()
  await listening.says(/connection lost, trying again \(the service restarts\)/)
  events.push(...(await ann.happen(7)))
  service = await start()
  await listening.says(/caught up 7 missed/)
  await eachOnce(ann, events)
  listening.interrupt()
  assert.equal(await listening.ended, null)
  await service.stop()
})

test('the service loses its connections to PostgreSQL: the stream stays, and goes on', async () => {
  const ann = await scene.integratorAtWork()
  const listening = ann.listenHere()
  await listening.says(/Ready/)
  const cut = () => scene.db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'handover %'`
  const events = Array.from({ length: 8 }, (_, number) => `evt_cut_${ann.application.id.slice(-12)}_${number}`)
  for (const id of events) {
    // By an id of its own it may be told again when the answer to it was lost.
    const tell = () => scene.happen('sandbox', ann.facilityId, 1, { id })
    const happened = async () => (await tell().catch(() => [])).length === 1
    assert.ok(await soon(happened, PATIENCE_MS))
    await cut().catch(() => {})
  }
  await eachOnce(ann, events)
  await ann.statesBecome(events.map(() => 'delivered'))
  listening.interrupt()
  assert.equal(await listening.ended, null)
})
