/** How long many waited, in little room: each bin is a twentieth wider than the one before. */
export type Waits = {
  add: (seconds: number) => void
  at: (share: number) => number
  count: () => number
  clear: () => void
}

const SHORTEST = 0.000_1
const WIDER = 1.05
const BINS = 400

export function createWaits(): Waits {
  const bins = new Float64Array(BINS)
  let count = 0
  return {
    add(seconds) {
      const bin = Math.ceil(Math.log(Math.max(seconds, SHORTEST) / SHORTEST) / Math.log(WIDER))
      const place = Math.min(BINS - 1, bin)
      bins[place] = (bins[place] ?? 0) + 1
      count += 1
    },
    /** The upper end of the bin in which this share is reached. */
    at(share) {
      let seen = 0
      for (const [bin, many] of bins.entries()) {
        seen += many
        if (many > 0 && seen >= share * count) return SHORTEST * WIDER ** bin
      }
      return 0
    },
    count: () => count,
    clear() {
      bins.fill(0)
      count = 0
    },
  }
}
