/** Numbers that look random and are the same for the same seed, whatever the machine. */
export type Random = {
  /** From 0 to 1, without 1. */
  next: () => number
  /** Around 0, with a standard deviation of 1. */
  normal: () => number
}

/** sfc32 (PractRand's small fast counter): four words of state, warmed up so that similar seeds part. */
export function seededRandom(seed: number): Random {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = seed | 0
  let d = 1
  function next(): number {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let turn = 0; turn < 20; turn += 1) next()
  return {
    next,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}

/** Draws positions by their weights, each in the same short time (Vose's alias method). */
export function drawByWeight(weights: Float64Array, random: Random): () => number {
  const { length } = weights
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const share = weights.map((weight) => (weight / total) * length)
  const alias = new Int32Array(length)
  const small: number[] = []
  const large: number[] = []
  for (const [position, each] of share.entries()) (each < 1 ? small : large).push(position)
  while (small.length > 0 && large.length > 0) {
    const less = small.pop() ?? 0
    const more = large.at(-1) ?? 0
    alias[less] = more
    share[more] = (share[more] ?? 0) + (share[less] ?? 0) - 1
    if ((share[more] ?? 0) < 1) small.push(large.pop() ?? 0)
  }
  for (const position of [...small, ...large]) share[position] = 1
  return () => {
    const place = random.next() * length
    const position = Math.floor(place)
    return place - position < (share[position] ?? 1) ? position : (alias[position] ?? 0)
  }
}
