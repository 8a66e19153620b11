/** A machine's cores, of which every piece of work gets the one that is free first. */
export type Cores = {
  /** When work that comes at a moment and costs so much CPU is done, in seconds. */
  work: (now: number, cpu: number) => number
  /** Nothing is worked on until then. */
  away: (until: number) => void
  busySeconds: () => number
}

export function createCores(count: number): Cores {
  const free = new Float64Array(count)
  let busy = 0
  let awayUntil = 0
  return {
    work(now, cpu) {
      let first = 0
      for (let core = 1; core < count; core += 1) if ((free[core] ?? 0) < (free[first] ?? 0)) first = core
      const end = Math.max(now, free[first] ?? 0, awayUntil) + cpu
      free[first] = end
      busy += cpu
      return end
    },
    away(until) {
      awayUntil = until
    },
    busySeconds: () => busy,
  }
}
