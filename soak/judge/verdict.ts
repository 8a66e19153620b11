import { readFile } from 'node:fs/promises'
import type { Life } from '../processes.ts'
import { type Scene, withDatabase } from '../scene.ts'
import type { Strike } from '../stage.ts'
import { madeTwice } from './chains.ts'
import { growth } from './flatness.ts'
import { lostThings, workingTwice } from './kept.ts'
import { leaksIn, partsOf } from './leaks.ts'

/** What was found, by what it is. All of them have to be empty. */
export type Verdict = {
  /** Acknowledged and not there any more, or there again. */
  lost: string[]
  /** Issued, made or taken twice. */
  twice: string[]
  /** Secrets in a log. */
  leaked: string[]
  /** Memory or descriptors that grew. */
  grown: string[]
  /** Answers that say that the fault is ours, or do not say when to come again. */
  rude: string[]
  /** Processes that ended by themselves, faults that the service did not come back from in time, and what nobody got done. */
  down: string[]
}

/** Where nothing was done and nothing was struck, nothing is proven. */
const WANTED = [
  'sign-in',
  'code exchanged',
  'token refreshed',
  'client credentials',
  'webhook created',
  'events published',
]

const BACK_WITHIN_MS = 30_000
const PATIENCE_MS = 60_000

export async function judge(scene: Scene, lives: readonly Life[], strikes: readonly Strike[]): Promise<Verdict> {
  // Its own: that of the visitors has ended with the load.
  const asking = { ...scene, patience: AbortSignal.timeout(PATIENCE_MS) }
  const { ledger, database, processes } = scene
  const made = await withDatabase(database, madeTwice)
  const lost = await lostThings(asking)
  const worked = await workingTwice(asking)
  return {
    lost,
    twice: [...ledger.twice, ...made, ...worked],
    leaked: leaksIn(await everyLog(scene), partsOf(ledger.secrets)),
    grown: growth(lives),
    rude: [...ledger.rude].map(([what, times]) => `${times} × ${what}`),
    down: [
      ...processes.flatMap(({ endings }) => endings.map((ending) => `ended by itself: ${ending}`)),
      ...strikes.flatMap(({ name, backAfterMs }) =>
        backAfterMs !== null && backAfterMs <= BACK_WITHIN_MS ? [] : [`not back in time after: ${name}`],
      ),
      ...(strikes.length === 0 ? ['no fault was struck'] : []),
      ...WANTED.filter((kind) => (ledger.tallies.get(kind)?.done ?? 0) === 0).map((kind) => `never done: ${kind}`),
    ],
  }
}

/** All that was written by anybody, to output or to error. */
export async function everyLog({ processes, database }: Scene): Promise<string> {
  const ours = await Promise.all(processes.map(({ logFile }) => readFile(logFile, 'utf8')))
  return [...ours, await database.log()].join('\n')
}

export function isClean(verdict: Verdict): boolean {
  return Object.values(verdict).every((found) => found.length === 0)
}
