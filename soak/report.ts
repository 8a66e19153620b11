import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { megabytes } from './judge/flatness.ts'
import { everyLog, isClean, type Verdict } from './judge/verdict.ts'
import type { Played } from './play.ts'
import type { Scenario } from './scenarios.ts'

/** Of each kind so many are shown; all are in the file. */
const MOST_SHOWN = 10

export type Result = {
  scenario: string
  verdict: Verdict
  tallies: Record<string, object>
  strikes: Played['strikes']
  settledAfterMs: number
  lives: Played['lives']
}

export async function report({ name, title }: Scenario, played: Played, verdict: Verdict): Promise<Result> {
  const { scene, strikes, lives, settledAfterMs } = played
  const { ledger } = scene
  const tallies = Object.fromEntries([...ledger.tallies].filter(([kind]) => kind !== 'judge'))
  console.log(`\n${name}: ${title}`)
  for (const [kind, { done, refused, unknown }] of Object.entries(tallies))
    line(kind, `${done} done, ${unknown} without a useful answer, ${refused} refused`)
  line('faults', strikes.map(({ name: fault, backAfterMs }) => `${fault} ${seconds(backAfterMs)}`).join(', '))
  line('arrivals', `${arrivalsIn(played)}; the last ${seconds(settledAfterMs)} after the load`)
  line('memory', growthIn(lives))
  const logs = await everyLog(scene)
  line('logs', `${megabytes(logs.length)} MB searched for ${ledger.secrets.size} secrets`)
  line(
    'verdict',
    Object.entries(verdict)
      .map(([what, found]) => `${what} ${found.length}`)
      .join(', '),
  )
  for (const [what, found] of Object.entries(verdict)) showFound(what, found)
  if (!isClean(verdict)) line('kept', await keep(`${name}.log`, logs))
  return { scenario: name, verdict, tallies, strikes, settledAfterMs, lives }
}

function showFound(what: string, found: readonly string[]): void {
  for (const each of found.slice(0, MOST_SHOWN)) console.log(`    ${what}: ${each}`)
  if (found.length > MOST_SHOWN) console.log(`    ${what}: and ${found.length - MOST_SHOWN} more`)
}

function arrivalsIn({ scene: { ledger, subscribers } }: Played): string {
  const taken = [...ledger.events.values()].filter((state) => state === 'taken').length
  const came = [...ledger.arrivals.values()].reduce((sum, count) => sum + count, 0)
  const later = ledger.later.size === 0 ? '' : `, ${ledger.later.size} still to come by a clock that was wrong`
  return `${taken} events to ${subscribers.length} subscribers, ${came - ledger.arrivals.size} more than once${later}`
}

function growthIn(lives: Played['lives']): string {
  const grown = lives.flatMap(({ early, late }) => (early === null || late === null ? [] : [{ early, late }]))
  if (grown.length === 0) return 'no life was long enough to compare'
  const heaps = grown.map(({ early, late }) => `${megabytes(early.heapBytes)} to ${megabytes(late.heapBytes)} MB`)
  const descriptors = grown.map(({ early, late }) => `${early.descriptors} to ${late.descriptors}`)
  return `heap ${heaps.join(', ')}; descriptors ${descriptors.join(', ')}`
}

function seconds(milliseconds: number | null): string {
  return milliseconds === null ? 'never' : `${(milliseconds / 1_000).toFixed(1)} s`
}

function line(name: string, text: string): void {
  console.log(`  ${name.padEnd(20)}${text}`)
}

export async function writeResults(results: readonly Result[]): Promise<void> {
  const text = JSON.stringify({ at: new Date().toISOString(), node: process.version, results }, null, 2)
  console.log(`\nwritten to ${await keep('soak.latest.json', `${text}\n`)}`)
}

async function keep(name: string, text: string): Promise<string> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

export function passed(results: readonly Result[]): boolean {
  return results.every(({ verdict }) => isClean(verdict))
}
