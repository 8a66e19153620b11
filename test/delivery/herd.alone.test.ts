import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { p99 } from '../harness/percentiles.ts'
import { answers, later, mostWithin } from '../harness/receiver-farm.ts'
import { startWorkerOf } from '../harness/sending-process.ts'
import { attemptsOf, hurry, landed, scheduleOf, statesBecome } from '../harness/sending-rows.ts'
import { startSendingScene } from '../harness/sending-scene.ts'
import { IS_SOAK, soakSize } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'

/** Sizes that a soak raises. */
const EVENTS = soakSize(300, 5_000)
const WORKERS = 3
const OTHERS = 5
/** Enough of them say what the slowest of a hundred took; a few say only that none is late. */
const BEFORE = soakSize(20, 400)
const WARM_UP = soakSize(5, 200)

// In processes of their own, as they run for real: the test runner follows every promise of its own process, and tidying up
// after that stops it for 50 ms every few seconds, which would be read as lateness of the others.
const scene = await startSendingScene('web')
const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorkerOf(scene)))
after(async () => {
  for (const worker of workers) await worker.kill()
  await scene.stop()
})
const { db } = scene

test('what gathered while a receiver was down comes at its rate when it is back, and others do not notice', async (context) => {
  const [herdAt, othersAt] = [await scene.facility(), await scene.facility()]
  const herd = await scene.subscriber({ facilities: [herdAt], reply: answers(503) })
  const others = await Promise.all(Array.from({ length: OTHERS }, () => scene.subscriber({ facilities: [othersAt] })))

  const late: string[] = []
  let sent = 0
  /** How long each took from its publishing to its receiver. */
  async function trickle(goesOn: () => boolean): Promise<Array<{ began: number; took: number }>> {
    const published = new Map<string, number>()
    while (goesOn()) {
      const began = performance.now()
      for (const id of await scene.publish([scene.event({ facilityId: othersAt })])) published.set(id, began)
      sent += 1
      const allHere = async () => others.every(({ arrivals }) => arrivals.length >= sent)
      if (!(await soonHeard(db, allHere))) late.push(`event ${sent}`)
      await sleep(50)
    }
    return others.flatMap(({ arrivals }) =>
      arrivals.flatMap(({ id, at }) => {
        const began = published.get(id)
        return began === undefined ? [] : [{ began, took: at - began }]
      }),
    )
  }
  // Not counted: what has just started is slower than it will be, and would make anything that follows look quick.
  await trickle(() => sent < WARM_UP)
  const alone = await trickle(() => sent < WARM_UP + BEFORE)
  let isOver = false
  const beside = trickle(() => !isOver)

  const ids = await scene.publish(Array.from({ length: EVENTS }, () => scene.event({ facilityId: herdAt })))
  const isOpen = async () => (await scheduleOf(db, herd.webhookId)).consecutive_failures >= 10
  assert.ok(await soon(isOpen, PATIENCE_MS), 'the circuit opens')
  await landed(db, herd.webhookId)
  const whileDown = herd.arrivals.length
  assert.ok(whileDown < 20, `${whileDown} came while it was down`)
  await sleep(500)
  assert.equal(herd.arrivals.length, whileDown, 'nothing more comes')

  const recoveredAt = performance.now()
  herd.reply = later(20, answers(200))
  // All of them at once: those that were tried, and those that were not.
  await hurry(db, herd.webhookId)
  // Counted where they arrive: who counts thousands of rows again and again is a load on the neighbours, too.
  assert.ok(await soon(async () => herd.arrivals.length >= whileDown + EVENTS, 200 * EVENTS), 'all of them come')
  isOver = true
  const times = await beside
  await statesBecome(db, herd.webhookId, { delivered: EVENTS })

  const recovered = herd.arrivals.slice(whileDown)
  assert.equal(recovered.length, EVENTS, 'each came once')
  assert.deepEqual(new Set(recovered.map(({ id }) => id)), new Set(ids))
  // By when they began: a pause of the receiver, or of a worker, lets those that are on their way arrive together with the next.
  const sent200 = (await attemptsOf(db, herd.webhookId)).filter(({ status }) => status === 200)
  const inASecond = mostWithin(
    1_000,
    sent200.map(({ started_at }) => ({ at: started_at.getTime() })),
  )
  assert.ok(inASecond <= 55, `${inASecond} began within a second`)
  const arrived = mostWithin(1_000, recovered)
  assert.ok(arrived <= 55 + 10, `${arrived} came within a second`)
  const atOnce = Math.max(...herd.arrivals.map((arrival) => arrival.atOnce))
  assert.ok(atOnce <= 10, `${atOnce} at once`)
  assert.ok(
    recovered.length / ((recovered.at(-1)?.at ?? 0) - (recovered[0]?.at ?? 0)) > 0.02,
    'and not slower than it must',
  )
  assert.deepEqual(late, [])
  const before = p99(alone.map(({ took }) => took))
  const meanwhile = p99(times.filter(({ began }) => began >= recoveredAt).map(({ took }) => took))
  context.diagnostic(
    `p99 of the others: ${before.toFixed(1)} ms before, ${meanwhile.toFixed(1)} ms while the herd comes`,
  )
  if (IS_SOAK) assert.ok(meanwhile <= 1.25 * before, `p99 ${before} ms before, ${meanwhile} ms while the herd comes`)
  for (const { webhookId } of others) await statesBecome(db, webhookId, { delivered: sent })
})

test('a receiver that takes its time has no more than ten open at once, whoever sends', async () => {
  const facilityId = await scene.facility()
  const slow = await scene.subscriber({ facilities: [facilityId], reply: later(150, answers(200)) })
  await scene.publish(Array.from({ length: 60 }, () => scene.event({ facilityId })))
  await statesBecome(db, slow.webhookId, { delivered: 60 })
  assert.equal(slow.arrivals.length, 60)
  assert.ok(slow.arrivals.every(({ atOnce }) => atOnce <= 10))
  assert.ok(slow.arrivals.some(({ atOnce }) => atOnce >= 5))
})
