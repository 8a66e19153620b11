/** One contender in one round. */
export type Measurement = {
  perSecond: number
  p50: number
  p99: number
  /** Microseconds of the server's CPU for each request; null where it cannot be read. */
  cpu: number | null
  /** The same for the database, where it takes part. */
  databaseCpu: number | null
  failures: Record<string, number>
}

export type Contender = { name: string; measure: (seconds: number) => Promise<Measurement> }

const WARM_UP_SECONDS = 5

export type Rounds = Map<string, Measurement[]>

/**
 * A B C A B C …: whatever else the machine does meanwhile hits all contenders alike, and a ratio is taken within a round.
 * The first round warms up and does not count: the compiler needs thousands of requests until it is done.
 */
export async function interleave(contenders: Contender[], rounds: number, seconds: number): Promise<Rounds> {
  for (const { measure } of contenders) await measure(WARM_UP_SECONDS)
  const results: Rounds = new Map(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { name, measure } of contenders) results.get(name)?.push(await measure(seconds))
  }
  return results
}

export type Ratio = { median: number; lowest: number; highest: number }

/** How many times quicker one is than the other, round by round. */
export function ratioOf(results: Rounds, one: string, other: string): Ratio {
  return pairwise(results, one, other, (mine, peers) => mine.perSecond / peers.perSecond)
}

/** The same by how long the slowest wait. */
export function p99RatioOf(results: Rounds, one: string, other: string): Ratio {
  return pairwise(results, one, other, (mine, peers) => peers.p99 / mine.p99)
}

/** The same by how long the middle one waits. */
export function p50RatioOf(results: Rounds, one: string, other: string): Ratio {
  return pairwise(results, one, other, (mine, peers) => peers.p50 / mine.p50)
}

/** The same by the CPU that a request costs the database. */
export function databaseCpuRatioOf(results: Rounds, one: string, other: string): Ratio {
  return pairwise(results, one, other, (mine, peers) => (peers.databaseCpu ?? 0) / (mine.databaseCpu ?? 0))
}

/**
 * The same by the CPU that a request costs, the database's included where it takes part; a busy machine distorts it less.
 * Null where it cannot be read.
 */
export function cpuRatioOf(results: Rounds, one: string, other: string): Ratio | null {
  const all = [...(results.get(one) ?? []), ...(results.get(other) ?? [])]
  if (all.some(({ cpu }) => cpu === null)) return null
  const withDatabase = all.every(({ databaseCpu }) => databaseCpu !== null)
  const cost = ({ cpu, databaseCpu }: Measurement) => (cpu ?? 0) + (withDatabase ? (databaseCpu ?? 0) : 0)
  const ratio = pairwise(results, one, other, (mine, peers) => cost(peers) / cost(mine))
  return Number.isFinite(ratio.median) ? ratio : null
}

function pairwise(
  results: Rounds,
  one: string,
  other: string,
  compare: (mine: Measurement, peers: Measurement) => number,
): Ratio {
  const others = results.get(other) ?? []
  const mine = results.get(one) ?? []
  return spreadOf(mine.flatMap((each, round) => (others[round] === undefined ? [] : [compare(each, others[round])])))
}

export function spreadOf(values: number[]): Ratio {
  const sorted = values.toSorted((one, another) => one - another)
  return { median: median(sorted), lowest: sorted[0] ?? 0, highest: sorted.at(-1) ?? 0 }
}

function median(sorted: number[]): number {
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2
}
