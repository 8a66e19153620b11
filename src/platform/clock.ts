import type { Db } from './db.ts'

/** The time on this machine. What is shared between processes (due, leased, expired) goes by the database's clock instead (decision A7). */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** How far this machine's clock runs ahead of the database's, in seconds, halving the round trip's share of the error. */
export async function clockSkewSeconds(db: Db, clock: Clock): Promise<number> {
  const asked = clock().getTime()
  const [row] = await db<[{ epoch: number }]>`select extract(epoch from clock_timestamp())::float8 as epoch`
  const answered = clock().getTime()
  return (asked + answered) / 2_000 - row.epoch
}
