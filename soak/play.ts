import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakDatabase } from './database.ts'
import { dueLater } from './judge/later.ts'
import { judge, type Verdict } from './judge/verdict.ts'
import { missingArrivals } from './ledger.ts'
import { runLoad } from './load/load.ts'
import type { Life } from './processes.ts'
import { type Scene, type SceneOptions, startScene, withDatabase } from './scene.ts'
import { createStage, type Stage, type Strike } from './stage.ts'

export type Played = { scene: Scene; lives: Life[]; strikes: Strike[]; settledAfterMs: number }

/** A life is measured early when it has been loaded for so long, and again in the end if that is so much later. */
const WARM_UP_MS = 8_000
const LEAST_LIFE_MS = 8_000
/** For what was asked and is not known yet when the load ends. */
const PATIENCE_MS = 30_000
/** A delivery whose process was killed is sent again when its lease has run out, and one that failed when its retry is due. */
const SETTLE_MS = 90_000

/** Load on three processes while the faults are struck, and then until everything that was promised has arrived. */
export async function play<Value>(
  { database, options, play: strikeAll }: Play,
  { seconds, stopped }: { seconds: number; stopped?: AbortSignal },
  then: (played: Played) => Promise<Value>,
): Promise<Value> {
  try {
    const scene = await startScene(database, options)
    try {
      const load = runLoad(scene)
      const measuring = measureEarly(scene)
      const stage = createStage(scene, seconds)
      try {
        await Promise.race([strikeAll(stage), failsEarly(load, stopped)])
      } finally {
        scene.end(PATIENCE_MS)
      }
      await Promise.all([load, measuring, ...scene.processes.map((each) => each.ready())])
      const settledAfterMs = await settle(scene)
      return await then({ scene, lives: await measureLate(scene), strikes: stage.strikes, settledAfterMs })
    } finally {
      await scene.stop()
    }
  } finally {
    await database.stop()
  }
}

export type Play = { database: SoakDatabase; options?: SceneOptions; play: (stage: Stage) => Promise<void> }

export function judgePlayed({ scene, lives, strikes }: Played): Promise<Verdict> {
  return judge(scene, lives, strikes)
}

/** The load only ends before the scene when a visitor met something that nobody thought of. */
function failsEarly(load: Promise<void>, stopped?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    load.catch(reject)
    const stop = () => reject(new Error('The soak was stopped'))
    if (stopped?.aborted) stop()
    stopped?.addEventListener('abort', stop, { once: true })
  })
}

async function settle(scene: Scene): Promise<number> {
  const began = performance.now()
  for (; performance.now() - began < SETTLE_MS; await sleep(100)) {
    if (scene.clockJumps() > 0) await noteLater(scene)
    if (missingArrivals(scene.ledger, scene.subscribers).length === 0) break
  }
  return performance.now() - began
}

async function noteLater({ ledger, database, receiver, subscribers }: Scene): Promise<void> {
  ledger.later = await withDatabase(database, (db) => dueLater(db, receiver.urlOf, subscribers))
}

async function measureEarly(scene: Scene): Promise<void> {
  while (!scene.isOver()) {
    for (const { lives, isReady, hold } of scene.processes) {
      const life = lives.at(-1)
      const isWarm = life !== undefined && isReady() && performance.now() - life.readyAt > WARM_UP_MS
      if (isWarm && life.early === null) life.early = await hold()
    }
    await sleep(500)
  }
}

/** Only lives that are not over can have grown for long. */
async function measureLate(scene: Scene): Promise<Life[]> {
  for (const { lives, hold } of scene.processes) {
    const life = lives.at(-1)
    const isOld = life !== undefined && performance.now() - life.readyAt > WARM_UP_MS + LEAST_LIFE_MS
    if (isOld && life.early !== null) life.late = await hold()
  }
  return scene.processes.flatMap(({ lives }) => lives)
}
