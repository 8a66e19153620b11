import type { Db } from '../../platform/db.ts'
import type { Rate } from './token-bucket.ts'

/**
 * Takes what was spent out of the shared buckets and answers their levels. Below zero means that several processes together
 * spent too much before they heard of each other; time pays it back.
 */
export async function settleBuckets(
  db: Db,
  spent: ReadonlyArray<{ key: string; spent: number; rate: Rate }>,
): Promise<Map<string, number>> {
  // Always in the order of the keys, or two processes could wait for each other.
  const rows = await db<Array<{ key: string; level: number }>>`
    insert into rate_buckets as bucket (key, level, per_second, burst, updated_at)
    select key, burst - spent, per_second, burst, clock_timestamp()
    from unnest(
      ${spent.map(({ key }) => key)}::text[],
      ${spent.map((each) => each.spent)}::float8[],
      ${spent.map(({ rate }) => rate.perSecond)}::float8[],
      ${spent.map(({ rate }) => rate.burst)}::float8[]
    ) as news (key, spent, per_second, burst)
    order by key
    on conflict (key) do update set
      level = least(
        excluded.burst,
        bucket.level
          + excluded.per_second * greatest(0, extract(epoch from excluded.updated_at - bucket.updated_at)::float8)
      ) - (excluded.burst - excluded.level),
      per_second = excluded.per_second,
      burst = excluded.burst,
      -- Of two that came at once the later counts; one from far ahead was written before the clock was set back.
      updated_at = greatest(excluded.updated_at, least(bucket.updated_at, excluded.updated_at + interval '1 second'))
    returning key, level`
  return new Map(rows.map(({ key, level }) => [key, level]))
}

/** A bucket that has been left alone long enough is full, which is what a missing one is too. */
export async function forgetFullBuckets(db: Db): Promise<void> {
  await db`delete from rate_buckets where updated_at < now() - interval '1 hour'`
}
