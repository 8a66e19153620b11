import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, p99 } from '../harness/percentiles.ts'
import { startWorkerOf } from '../harness/sending-process.ts'
import { statesBecome } from '../harness/sending-rows.ts'
import { type Subscriber, startSendingScene } from '../harness/sending-scene.ts'
import { soakSize } from '../harness/soak-size.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

/** Sizes that a soak raises. */
const WEBHOOKS = 51
const EVENTS = soakSize(8, 40)
const ROUNDS = soakSize(7, 15)

// In a process of its own, as it runs for real: the test runner follows every promise of its own process, and tidying up after
// that stops it for 50 ms every few seconds, which would be read as lateness of the others.
const scene = await startSendingScene('web')
const worker = await startWorkerOf(scene)
after(async () => {
  await worker.kill()
  await scene.stop()
})
const { db } = scene

/** Those that hang say nothing until they are let go. */
const hanging = new Set<ServerResponse>()
function letGo(): void {
  for (const response of hanging) response.end()
  hanging.clear()
}

async function fleet(dead: number) {
  const [healthyAt, deadAt] = [await scene.facility(), await scene.facility()]
  const healthy = await Promise.all(
    Array.from({ length: WEBHOOKS - dead }, () => scene.subscriber({ facilities: [healthyAt], perSecond: 1_000 })),
  )
  const deaf = await Promise.all(
    Array.from({ length: dead }, () =>
      scene.subscriber({ facilities: [deadAt], perSecond: 1_000, reply: (response) => void hanging.add(response) }),
    ),
  )
  return { healthy, healthyAt, deaf, deadAt }
}

/** How long each delivery took from its publishing to its receiver. */
async function measure(healthy: readonly Subscriber[], facilityId: string): Promise<number[]> {
  const published = new Map<string, number>()
  for (let turn = 0; turn < EVENTS; turn += 1) {
    const began = performance.now()
    for (const id of await scene.publish([scene.event({ facilityId })])) published.set(id, began)
    await sleep(30)
  }
  const arrived = () =>
    healthy.flatMap(({ arrivals }) =>
      arrivals.flatMap(({ id, at }) => {
        const began = published.get(id)
        return began === undefined ? [] : [at - began]
      }),
    )
  assert.ok(await soon(async () => arrived().length === EVENTS * healthy.length, PATIENCE_MS))
  return arrived()
}

for (const dead of [1, 10])
  test(`${dead} of ${WEBHOOKS} never answer: the others are not delayed`, async () => {
    const { healthy, healthyAt, deaf, deadAt } = await fleet(dead)
    await measure(healthy, healthyAt)
    // In turns, so that a bad moment of the machine meets both, and the middle one of many, so that no single one decides.
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 1; round <= ROUNDS; round += 1) {
      alone.push(p99(await measure(healthy, healthyAt)))
      await scene.publish(Array.from({ length: 25 }, () => scene.event({ facilityId: deadAt })))
      assert.ok(await soon(async () => deaf.every(({ open }) => open() === 10), PATIENCE_MS), 'their places are full')
      beside.push(p99(await measure(healthy, healthyAt)))
      assert.ok(
        deaf.every(({ open }) => open() === 10),
        'they still hang',
      )
      const letting = setInterval(letGo, 10)
      for (const { webhookId } of deaf) await statesBecome(db, webhookId, { delivered: 25 * round })
      clearInterval(letting)
    }
    const figures = `p99 alone ${alone.map(Math.round).join(' ')}, beside the dead ${beside.map(Math.round).join(' ')} ms`
    assert.ok(median(beside) <= 1.25 * median(alone) + 20, figures)
  })
