import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, json } from './load/visit.ts'
import type { WatchedProcess } from './processes.ts'
import type { Scene } from './scene.ts'

/** A fault that was struck, and how long after its end every process took events again; null when that never came. */
export type Strike = { name: string; backAfterMs: number | null }

/** What a scenario plays on: the scene with the load in it, and the faults that were struck so far. */
export type Stage = {
  scene: Scene
  strikes: Strike[]
  /** There is time for another fault. */
  goesOn: () => boolean
  /** The fault has ended when the promise resolves. Waits until the service is well, and lets the load run for a moment. */
  strike: (name: string, fault: () => Promise<unknown>) => Promise<void>
  fault: (name: string) => Promise<void>
}

const LONGEST_MS = 60_000
const BETWEEN_MS = 2_000

export function createStage(scene: Scene, seconds: number): Stage {
  const until = performance.now() + seconds * 1_000
  const strikes: Strike[] = []
  return {
    scene,
    strikes,
    goesOn: () => performance.now() < until,
    strike: async (name, fault) => {
      await sleep(BETWEEN_MS)
      await fault()
      strikes.push({ name, backAfterMs: await untilWell(scene) })
    },
    fault: async (name) => {
      const strike = scene.database.faults[name]
      if (strike === undefined) throw new Error(`There is no fault "${name}" in this database`)
      await strike()
    },
  }
}

/** By what every process has to have its database for: taking an event in. */
async function untilWell(scene: Scene): Promise<number | null> {
  const began = performance.now()
  const isWell = async (process: WatchedProcess): Promise<boolean> => {
    for (;;) {
      if (await takesEvent({ ...scene, url: process.url })) return true
      if (performance.now() - began > LONGEST_MS) return false
      await sleep(50)
    }
  }
  const well = await Promise.all(scene.processes.map(isWell))
  return well.every(Boolean) ? performance.now() - began : null
}

async function takesEvent(scene: Scene): Promise<boolean> {
  const { ledger, platformKey, facilities } = scene
  const event = { environment: 'sandbox', type: 'shift.created', facilityId: facilities.busy, data: {} }
  const id = randomUUID()
  ledger.events.set(id, 'asked')
  const { kind } = await ask(scene, 'probe', '/platform/v1/events', json('POST', platformKey, { ...event, id }))
  if (kind === 'done') ledger.events.set(id, 'taken')
  return kind === 'done'
}
