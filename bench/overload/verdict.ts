import type { PhaseResult } from '../load/open-order.ts'
import { writeReport } from '../report.ts'
import type { Endpoint } from './endpoints.ts'

/** What is due of a figure, and whether it came to be. */
type JudgedBar = { what: string; figure: number; bar: string; reached: boolean }

export type Judged = { title: string; bars: JudgedBar[]; figures: Record<string, number | Record<string, number>> }

const LONGEST_P99_MS = 1_000
const LONGEST_RECOVERY_MS = 5_000
const LONGEST_TOKEN_P99_MS = 100

/** `during` is three times of what it can do, `after` a tenth. */
export function judgeOverload(
  { name, leastShare }: Pick<Endpoint, 'name' | 'leastShare'>,
  capacity: number,
  seconds: number,
  during: PhaseResult | undefined,
  after: PhaseResult | undefined,
): Judged {
  if (during === undefined || after === undefined) throw new Error('A phase was not measured')
  const share = during.accepted / seconds / capacity
  return {
    title: name,
    figures: {
      capacity,
      accepted: during.accepted / seconds,
      p50: during.p50,
      p99: during.p99,
      shed: during.shed,
      failures: { ...during.failures, ...after.failures },
      p99After: after.p99,
    },
    bars: [
      atMost('p99 of what was accepted, ms', during.p99, LONGEST_P99_MS),
      atLeast('accepted, share of what it can do', share, leastShare),
      atMost('turned away without Retry-After', during.withoutRetryAfter, 0),
      atMost('other failures', sum(during.failures) + sum(after.failures), 0),
      atMost('recovered after, ms', after.troubledUntilMs, LONGEST_RECOVERY_MS),
    ],
  }
}

type Storm = { calm: PhaseResult | undefined; stormy: PhaseResult | undefined; people: PhaseResult | undefined }

export function judgeStorm(title: string, perSecond: number, signIns: number, phases: Storm): Judged {
  const { calm, stormy, people } = phases
  if (calm === undefined || stormy === undefined || people === undefined) throw new Error('A phase was not measured')
  return {
    title,
    figures: {
      tokensPerSecond: perSecond,
      p99Before: calm.p99,
      p50During: stormy.p50,
      p99During: stormy.p99,
      signInsPerSecond: signIns,
      signInP99: people.p99,
      signInsShed: people.shed,
      failures: { ...stormy.failures, ...people.failures },
    },
    bars: [
      atMost('p99 of tokens meanwhile, ms', stormy.p99, LONGEST_TOKEN_P99_MS),
      atMost('tokens turned away', sum(stormy.shed), 0),
      atMost('p99 of accepted sign-ins, ms', people.p99, LONGEST_P99_MS),
      atMost('turned away without Retry-After', people.withoutRetryAfter, 0),
      atMost('other failures', sum(stormy.failures) + sum(people.failures), 0),
    ],
  }
}

export function print(judged: Judged): Judged {
  const { title, figures, bars } = judged
  console.log(`\n${title}`)
  const shown = Object.entries(figures).map(([name, value]) =>
    typeof value === 'number' ? `${name} ${rounded(value)}` : `${name} ${listed(value)}`,
  )
  console.log(`  ${shown.join(', ')}`)
  for (const { what, figure, bar, reached } of bars)
    console.log(`  ${reached ? 'reached' : 'MISSED '}  ${what}: ${rounded(figure)}, the bar is ${bar}`)
  return judged
}

export async function writeOverload(judged: readonly Judged[]): Promise<void> {
  const missed = judged.flatMap(({ title, bars }) =>
    bars
      .filter(({ reached }) => !reached)
      .map(({ what, figure, bar }) => `${title}: ${what} ${rounded(figure)}, the bar is ${bar}`),
  )
  await writeReport('overload', missed, judged)
}

function atMost(what: string, figure: number, most: number): JudgedBar {
  return { what, figure, bar: `at most ${most}`, reached: figure <= most }
}

function atLeast(what: string, figure: number, least: number): JudgedBar {
  return { what, figure, bar: `at least ${least}`, reached: figure >= least }
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

function listed(counts: Record<string, number>): string {
  const each = Object.entries(counts).map(([what, count]) => `${count} × ${what}`)
  return each.length === 0 ? 'none' : each.join(', ')
}

function rounded(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(0)
}
