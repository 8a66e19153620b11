import { setTimeout as sleep } from 'node:timers/promises'
import { pgbouncerMissing } from '../test/harness/pgbouncer.ts'
import { clocksMissing, makeClocks } from './clocks.ts'
import type { SoakDatabase } from './database.ts'
import { startAlone } from './databases/alone.ts'
import { startBehindBouncer } from './databases/bouncer.ts'
import { startCuttable } from './databases/cuttable.ts'
import { startPair } from './databases/pair.ts'
import { smallDiskMissing, startOnSmallDisk } from './databases/small-disk.ts'
import type { WatchedProcess } from './processes.ts'
import type { SceneOptions } from './scene.ts'
import type { Stage } from './stage.ts'

/** Faults of one kind, on the database that they need. */
export type Scenario = {
  name: string
  title: string
  /** False, or why it cannot be played here. */
  missing: () => false | string
  start: () => Promise<{ database: SoakDatabase; options?: SceneOptions; play: (stage: Stage) => Promise<void> }>
}

const FAULT_MS = 4_000
const JUMP_MS = 2_500
const HOUR = 3_600

export const SCENARIOS: Scenario[] = [
  {
    name: 'kills',
    title: 'processes are killed',
    missing: () => false,
    start: async () => ({ database: await startAlone(), play: playKills }),
  },
  {
    name: 'postgres',
    title: 'PostgreSQL is restarted, dropped and killed',
    missing: () => false,
    start: async () => ({ database: await startAlone(), play: playServerFaults }),
  },
  {
    name: 'cuts',
    title: 'connections are cut, swallowed and slow',
    missing: () => false,
    start: async () => ({ database: await startCuttable(), play: playCuts }),
  },
  {
    name: 'disk',
    title: 'disks are full',
    missing: smallDiskMissing,
    start: async () => ({ database: await startOnSmallDisk(), play: playFullDisks }),
  },
  {
    name: 'clocks',
    title: 'clocks jump',
    missing: () => clocksMissing,
    start: startWithClocks,
  },
  {
    name: 'failover',
    title: 'the primary is killed and the standby promoted',
    missing: () => false,
    start: async () => ({ database: await startPair(), play: playFailover }),
  },
  {
    name: 'bouncer',
    title: 'PgBouncer in transaction mode, and kills on top',
    missing: () => pgbouncerMissing,
    start: async () => ({ database: await startBehindBouncer(), play: playBouncer }),
  },
]

/** One at random, then two, then all. */
export async function playKills({ goesOn, strike, scene: { processes } }: Stage): Promise<void> {
  for (let turn = 0; goesOn(); turn += 1) {
    const count = [1, 2, 1, processes.length][turn % 4] ?? 1
    const first = Math.floor(Math.random() * processes.length)
    const victims = [...processes.slice(first), ...processes.slice(0, first)].slice(0, count)
    await strike(`${count} killed`, () => killAll(victims))
  }
}

async function playServerFaults({ goesOn, strike, fault }: Stage): Promise<void> {
  while (goesOn()) {
    for (const name of ['restart', 'immediate', 'crash']) await strike(name, () => fault(name))
    await strike('stop', () => during(fault, 'stop', 'start'))
  }
}

async function playCuts({ goesOn, strike, fault }: Stage): Promise<void> {
  while (goesOn()) {
    await strike('reset', () => fault('reset'))
    for (const name of ['refuse', 'silence', 'slow']) await strike(name, () => during(fault, name, 'mend'))
  }
}

async function playFullDisks({ goesOn, strike, fault }: Stage): Promise<void> {
  while (goesOn()) {
    for (const name of ['fillData', 'fillWal']) await strike(name, () => during(fault, name, 'free'))
  }
}

/** Once: a standby becomes a primary once. Kills before and after, so that processes start on either. */
async function playFailover({ goesOn, strike, fault, scene: { processes } }: Stage): Promise<void> {
  const kill = (position: number) =>
    strike('1 killed', () => killAll(processes.slice(position % processes.length).slice(0, 1)))
  await kill(0)
  await strike('promote', () => fault('promote'))
  // Started again as it was, by somebody who does not know: nobody may write to it.
  await strike('the old primary returns', () => fault('returnOld'))
  await kill(1)
  for (let turn = 2; goesOn(); turn += 1) await kill(turn)
}

async function playBouncer({ goesOn, strike, fault, scene: { processes } }: Stage): Promise<void> {
  for (let turn = 0; goesOn(); turn += 1) {
    for (const name of ['restartBouncer', 'reconnect', 'restartServer', 'crashServer'])
      await strike(name, () => fault(name))
    await strike('pause', () => during(fault, 'pause', 'resume'))
    const victim = processes.slice(turn % processes.length).slice(0, 1)
    await strike('1 killed while the server restarts', () => Promise.all([killAll(victim), fault('restartServer')]))
  }
}

async function startWithClocks() {
  const clocks = await makeClocks(['postgres', '1', '2', '3'])
  const database = await startAlone({ env: clocks.env('postgres') })
  const stop = async () => {
    await database.stop()
    await clocks.remove()
  }
  return {
    database: { ...database, stop },
    options: { processEnv: (number: number) => clocks.env(String(number)) },
    play: async ({ goesOn, strike, scene }: Stage) => {
      const jump = (names: string[], seconds: number) => async () => {
        for (const each of [seconds, 0]) {
          scene.noteClockJump()
          await Promise.all(names.map((name) => clocks.set(name, each)))
          await sleep(JUMP_MS)
        }
      }
      while (goesOn()) {
        for (const seconds of [600, -600, HOUR, -HOUR]) await strike(`a process, ${seconds} s`, jump(['1'], seconds))
        for (const seconds of [300, HOUR]) await strike(`PostgreSQL, ${seconds} s`, jump(['postgres'], seconds))
        await strike(`everybody, ${HOUR} s`, jump(['postgres', '1', '2', '3'], HOUR))
      }
    },
  }
}

/** It has ended when they have been started again, which whoever watches over them does. */
async function killAll(victims: readonly WatchedProcess[]): Promise<void> {
  for (const victim of victims) victim.kill()
  await Promise.all(victims.map((victim) => victim.ready()))
}

async function during(fault: Stage['fault'], begin: string, end: string): Promise<void> {
  await fault(begin)
  await sleep(FAULT_MS)
  await fault(end)
}
