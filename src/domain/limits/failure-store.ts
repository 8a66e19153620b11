import type { Db } from '../../platform/db.ts'

/** So many failures are put up with within the window that begins with the first. */
export type FailureLimit = { key: string; failures: number; windowSeconds: number }

export type Attempt = { allowed: true } | { allowed: false; retryAfterSeconds: number }

/**
 * Counts an attempt against every limit before it is made, in one statement: attempts at the same moment, on any number of
 * processes, cannot slip through together. One that succeeds is taken back by `forgive`.
 */
export async function countAttempt(db: Db, limits: readonly FailureLimit[]): Promise<Attempt> {
  const rows = await db<Array<{ key: string; failures: number; wait: number }>>`
    insert into failure_counts as counted (key, failures, window_ends_at)
    select key, 1, now() + make_interval(secs => seconds)
    from unnest(${limits.map(({ key }) => key)}::text[], ${limits.map(({ windowSeconds }) => windowSeconds)}::float8[])
      as news (key, seconds)
    order by key
    on conflict (key) do update set
      failures = case when counted.window_ends_at <= now() then 1 else counted.failures + 1 end,
      window_ends_at = case when counted.window_ends_at <= now() then excluded.window_ends_at else counted.window_ends_at end
    returning key, failures, ceil(extract(epoch from window_ends_at - now()))::int as wait`
  const over = rows.filter(({ key, failures }) => {
    const limit = limits.find((each) => each.key === key)
    return limit !== undefined && failures > limit.failures
  })
  if (over.length === 0) return { allowed: true }
  // What is refused was no failure: else one address could use up the limit that an account has for all addresses together.
  await forgive(db, limits, [])
  return { allowed: false, retryAfterSeconds: Math.max(1, ...over.map(({ wait }) => wait)) }
}

/** The attempt was right, or not made at all: what it counted is taken back, and what `clear` names begins anew. */
export async function forgive(db: Db, limits: readonly FailureLimit[], clear: readonly FailureLimit[]): Promise<void> {
  const cleared = clear.map(({ key }) => key)
  const lowered = limits.map(({ key }) => key).filter((key) => !cleared.includes(key))
  // Locked in the order in which attempts are counted, or the two could wait for each other.
  await db`
    with held as materialized (
      select key from failure_counts where key = any(${[...cleared, ...lowered]}) order by key for update
    ), gone as (
      delete from failure_counts using held where failure_counts.key = held.key and held.key = any(${cleared})
    )
    update failure_counts set failures = greatest(0, failures - 1)
    from held where failure_counts.key = held.key and held.key = any(${lowered})`
}

export async function forgetEndedWindows(db: Db): Promise<void> {
  await db`delete from failure_counts where window_ends_at < now()`
}
