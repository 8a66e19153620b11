import type { Clock } from './clock.ts'

/** The database's time without asking for it: this machine's clock, put right by what was last heard from there (decision A7). */
export type DatabaseClock = {
  now: Clock
  /** To be called before the database is asked for its time; what it answers is told to the function that this gives. */
  ask: () => (databaseTime: Date) => void
}

/** An answer that took longer says too little of when it was given. */
const LONGEST_WAY_MS = 250

export function createDatabaseClock(own: Clock): DatabaseClock {
  let aheadMs: number | null = null
  return {
    now: () => new Date(own().getTime() - (aheadMs ?? 0)),
    ask() {
      const asked = own().getTime()
      return (databaseTime) => {
        const answered = own().getTime()
        if (aheadMs !== null && answered - asked > LONGEST_WAY_MS) return
        const least = asked - databaseTime.getTime()
        const most = answered - databaseTime.getTime()
        // As long as there may be no difference there is none. Otherwise the most that there may be: whoever seems to act later
        // than they do escapes what was revoked meanwhile.
        aheadMs = least <= 0 && most >= 0 ? 0 : most
      }
    },
  }
}
