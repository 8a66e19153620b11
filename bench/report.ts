import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { readMachine } from './machine.ts'
import {
  cpuRatioOf,
  databaseCpuRatioOf,
  type Measurement,
  p50RatioOf,
  p99RatioOf,
  type Ratio,
  type Rounds,
  ratioOf,
  spreadOf,
} from './rounds.ts'

/** One contender must be so many times as quick as another. */
export type Bar = {
  of: string
  to: string
  /** 0 where it is only reported. */
  atLeast: number
  /** By the requests in a second unless told; by p99, twice as slow is 0.5. */
  by?: Measure
}

type Measure = 'p99' | 'p50' | 'database CPU'

const RATIOS: Record<Measure, typeof ratioOf> = {
  p99: p99RatioOf,
  p50: p50RatioOf,
  'database CPU': databaseCpuRatioOf,
}

export type Section = {
  title: string
  contenders: Record<string, Summary>
  bars: Array<Bar & { ratio: Ratio; cpuRatio: Ratio | null; reached: boolean }>
}

type Summary = {
  perSecond: Ratio
  p50: number
  p99: number
  cpuMicroseconds: number | null
  databaseCpuMicroseconds: number | null
  failures: Record<string, number>
}

export function sectionOf(title: string, bars: Bar[], results: Rounds): Section {
  const contenders = Object.fromEntries([...results].map(([name, rounds]) => [name, summaryOf(rounds)]))
  const judged = bars.map((bar) => {
    const ratio = (bar.by === undefined ? ratioOf : RATIOS[bar.by])(results, bar.of, bar.to)
    const cpuRatio = cpuRatioOf(results, bar.of, bar.to)
    // Who refuses quickly is not quick.
    const honest = [bar.of, bar.to].every((name) => Object.keys(contenders[name]?.failures ?? {}).length === 0)
    return { ...bar, ratio, cpuRatio, reached: honest && ratio.median >= bar.atLeast }
  })
  return { title, contenders, bars: judged }
}

export function printSection(title: string, bars: Bar[], results: Rounds): Section {
  const section = sectionOf(title, bars, results)
  console.log(`\n${title}`)
  console.log(row(['', 'per second', 'lowest', 'highest', 'p50 ms', 'p99 ms', 'CPU µs', 'database CPU µs']))
  for (const [name, summary] of Object.entries(section.contenders)) {
    const { perSecond, p50, p99, cpuMicroseconds, databaseCpuMicroseconds, failures } = summary
    const figures = [perSecond.median, perSecond.lowest, perSecond.highest].map((value) => value.toFixed(0))
    const cpu = [cpuMicroseconds, databaseCpuMicroseconds].map((value) => value?.toFixed(0) ?? '–')
    console.log(row([name, ...figures, p50.toFixed(1), p99.toFixed(1), ...cpu]))
    for (const [failure, count] of Object.entries(failures)) console.log(`    ${count} × ${failure}`)
  }
  for (const { of, to, atLeast, by, ratio, cpuRatio, reached } of section.bars) {
    const verdict = reached && atLeast === 0 ? 'reported' : `${reached ? 'reached' : 'MISSED'}, the bar is ${atLeast}`
    const byCpu = cpuRatio === null ? '' : `; by CPU ${shown(cpuRatio)}`
    console.log(`  ${of} / ${to}${by ? ` by ${by}` : ''} = ${shown(ratio)}: ${verdict}${byCpu}`)
  }
  return section
}

function inWords({ of, to, atLeast, by, ratio }: Bar & { ratio: Ratio }): string {
  return `${of} / ${to}${by ? ` by ${by}` : ''} = ${shown(ratio)}, the bar is ${atLeast}`
}

function shown({ median: middle, lowest, highest }: Ratio): string {
  return `${middle.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`
}

function summaryOf(rounds: Measurement[]): Summary {
  const failures: Record<string, number> = {}
  for (const round of rounds) {
    for (const [failure, count] of Object.entries(round.failures)) failures[failure] = (failures[failure] ?? 0) + count
  }
  return {
    perSecond: spreadOf(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ p50 }) => p50)) ?? 0,
    p99: median(rounds.map(({ p99 }) => p99)) ?? 0,
    cpuMicroseconds: median(rounds.map(({ cpu }) => cpu)),
    databaseCpuMicroseconds: median(rounds.map(({ databaseCpu }) => databaseCpu)),
    failures,
  }
}

function median(values: Array<number | null>): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : spreadOf(known).median
}

function row(cells: string[]): string {
  return `  ${cells.map((cell, position) => (position === 0 ? cell.padEnd(27) : cell.padStart(position === 7 ? 16 : 11))).join('')}`
}

export async function writeResults(bench: string, sections: Section[]): Promise<void> {
  const missed = sections.flatMap(({ title, bars }) =>
    bars.filter(({ reached }) => !reached).map((bar) => `${title}: ${inWords(bar)}`),
  )
  await writeReport(bench, missed, sections)
}

/** For whose sections have other figures. */
export async function writeReport(bench: string, missed: string[], sections: readonly object[]): Promise<void> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${bench}.latest.json`)
  const machine = { ...readMachine(), load: loadavg() }
  const report = { at: new Date().toISOString(), commit: commit(), machine, missed, sections }
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  if (missed.length > 0) console.log(`\nmissed:\n${missed.map((each) => `  ${each}`).join('\n')}`)
  console.log(`\nwritten to ${file}`)
}

function commit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return null
  }
}
