/** What 99 of 100 stay below. */
export function p99(times: readonly number[]): number {
  return sorted(times)[Math.ceil(times.length * 0.99) - 1] ?? 0
}

export function median(times: readonly number[]): number {
  return sorted(times)[Math.floor(times.length / 2)] ?? 0
}

function sorted(times: readonly number[]): number[] {
  return times.toSorted((one, other) => one - other)
}
