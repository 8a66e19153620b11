import { type Bar, type Section, sectionOf, writeResults } from '../report.ts'
import type { Measurement, Rounds } from '../rounds.ts'
import { startStorage } from '../storage.ts'
import { DELIVERY_TOUCHES } from './delivery-touches.ts'
import { PEOPLE_TOUCHES } from './people-touches.ts'
import { databaseCpuOf, openScene, type Scene } from './scene.ts'
import { printHead, printLine } from './table.ts'
import { TASK_TOUCHES } from './task-touches.ts'
import type { Touch } from './touch.ts'

type Options = { rounds: number; only: string; sizes: string }

const CALLS = 100
/** PostgreSQL settles on a plan after five; a connection may be new at the beginning of a round. */
const WARM_UP = 10

/**
 * What every call costs with ten thousand, a hundred thousand and a million people, applications and webhooks, and ten times as
 * many old deliveries. The stores are called as the doors call them, one call after the other, without HTTP, signatures and
 * password hashes around them: those cost the same at every size, and would hide what does not.
 */
export async function benchGrow({ rounds, only, sizes }: Options): Promise<boolean> {
  const storage = await startStorage()
  const scenes: Scene[] = []
  const sections: Section[] = []
  try {
    for (const size of sizesFrom(sizes)) {
      const started = performance.now()
      scenes.push(await openScene(storage, size))
      console.log(`${size.toLocaleString('en')} filled in ${Math.round((performance.now() - started) / 1_000)} s`)
    }
    printHead(scenes.map(({ name }) => name))
    for (const touch of [...PEOPLE_TOUCHES, ...DELIVERY_TOUCHES, ...TASK_TOUCHES]) {
      if (!touch.title.includes(only)) continue
      const { first, again } = await interleaved(touch, scenes, rounds)
      const section = sectionOf(touch.title, barsOf(scenes, 0.8), again)
      const reported = sectionOf(`${touch.title}, the first time`, barsOf(scenes, 0), first)
      printLine(section, reported)
      sections.push(section, reported)
    }
    await writeResults('grow', sections)
    return sections.every(({ bars }) => bars.every(({ reached }) => reached))
  } finally {
    for (const { db } of scenes) await db.end()
    await storage.stop()
  }
}

function sizesFrom(text: string): number[] {
  const sizes = text.split(',').map(Number)
  // A facility and a team have ten of everything.
  if (sizes.some((size) => !Number.isInteger(size) || size < 100 || size % 10 !== 0))
    throw new Error('Sizes are numbers from 100 on that can be divided by ten, such as 1000,10000')
  return sizes
}

function barsOf(scenes: readonly Scene[], atLeast: number): Bar[] {
  const of = scenes.at(-1)?.name ?? ''
  const to = scenes[0]?.name ?? ''
  return [
    { of, to, atLeast, by: 'p50' },
    { of, to, atLeast, by: 'database CPU' },
  ]
}

/**
 * As `interleave`, with so many calls and not so many seconds: what writes should have written as much at every size.
 *
 * Every round goes over its rows twice, and the second time is judged. The first time the smallest size has nearly all of its
 * pages in memory, and the largest hardly any: that is what a page costs that nobody has asked for lately, and only reported.
 */
async function interleaved(
  touch: Touch,
  scenes: readonly Scene[],
  rounds: number,
): Promise<{ first: Rounds; again: Rounds }> {
  const first: Rounds = new Map(scenes.map(({ name }) => [name, []]))
  const again: Rounds = new Map(scenes.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const scene of scenes) {
      first.get(scene.name)?.push(await measure(touch, scene, round))
      again.get(scene.name)?.push(await measure(touch, scene, round))
    }
  }
  return { first, again }
}

async function measure({ prepare, call, tidy }: Touch, scene: Scene, round: number): Promise<Measurement> {
  const databaseCpu = await databaseCpuOf(scene)
  const waits: number[] = []
  let cpu = 0
  for (let count = -WARM_UP; count < CALLS; count += 1) {
    const number = numberAt(scene.size, round * (CALLS + WARM_UP) + count + WARM_UP)
    await prepare?.(scene, number)
    const cpuBefore = databaseCpu()
    const began = performance.now()
    await call(scene, number)
    if (count >= 0) {
      waits.push(performance.now() - began)
      cpu += databaseCpu() - cpuBefore
    }
    await tidy?.(scene, number)
  }
  const sorted = waits.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const total = waits.reduce((sum, wait) => sum + wait, 0)
  return {
    perSecond: (CALLS / total) * 1_000,
    p50: at(0.5),
    p99: at(0.99),
    cpu: null,
    databaseCpu: (cpu / CALLS) * 1e6,
    failures: {},
  }
}

/** All numbers in an order that jumps about, so that none comes again soon and neighbours do not come together. */
function numberAt(size: number, turn: number): number {
  const step = Math.floor(size * 0.618_033_9) | 1
  return (turn * (step % 5 === 0 ? step + 2 : step)) % size
}
