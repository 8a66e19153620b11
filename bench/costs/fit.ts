import { spreadOf } from '../rounds.ts'
import type { Cost } from './meter.ts'

/** What was in a call: so many events, deliveries, webhooks. */
export type Things = Readonly<Record<string, number>>

/** Calls of one kind with the same things in them. */
export type Sample = { things: Things; costs: Cost[] }

/** What a call costs before there is anything in it, and what each thing adds. */
export type Figures = Readonly<Record<string, number>>

export type Fit = { cpu: Figures; wal: Figures }

export function fitOf(samples: readonly Sample[]): Fit {
  return { cpu: figuresOf(samples, 'cpu'), wal: figuresOf(samples, 'wal') }
}

export function medianOf({ costs }: Sample, what: keyof Cost): number {
  return spreadOf(costs.map((cost) => cost[what])).median
}

/** What the figures give for a call with these things. */
export function costOf(figures: Figures, things: Things): number {
  return Object.entries(things).reduce(
    (sum, [thing, count]) => sum + (figures[thing] ?? 0) * count,
    figures['each'] ?? 0,
  )
}

/**
 * Least squares of how far off each median is in proportion: of the difference itself, only the largest calls would count, and
 * what a call costs by itself would be whatever is left over.
 */
function figuresOf(samples: readonly Sample[], what: keyof Cost): Figures {
  const names = ['each', ...Object.keys(samples[0]?.things ?? {})]
  const rows = samples.map((sample) => {
    const median = medianOf(sample, what)
    return names.map((name) => (name === 'each' ? 1 : (sample.things[name] ?? 0)) / median)
  })
  const product = (one: number, other: number) =>
    rows.reduce((sum, row) => sum + (row[one] ?? 0) * (row[other] ?? 0), 0)
  const places = [...names.keys()]
  const equations = places.map((one) => [
    ...places.map((other) => product(one, other)),
    rows.reduce((sum, row) => sum + (row[one] ?? 0), 0),
  ])
  const solution = solved(equations)
  return Object.fromEntries(names.map((name, place) => [name, solution[place] ?? 0]))
}

/** Gauss and Jordan, the right side last; such matrices need no other order of their rows. */
function solved(equations: readonly number[][]): number[] {
  let rows = equations
  for (const place of equations.keys()) {
    const pivot = rows[place] ?? []
    const scaled = pivot.map((value) => value / (pivot[place] ?? 1))
    rows = rows.map((row, other) =>
      other === place ? scaled : row.map((value, column) => value - (row[place] ?? 0) * (scaled[column] ?? 0)),
    )
  }
  return rows.map((row) => row.at(-1) ?? 0)
}
