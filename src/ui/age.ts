const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const LARGEST = { size: DAY, unit: 'day' }
const UNITS = [
  { upTo: HOUR, size: MINUTE, unit: 'minute' },
  { upTo: DAY, size: HOUR, unit: 'hour' },
]

/** How long ago, in the largest unit that says it: `3 days`. */
export function ageInWords(then: Date, now: Date): string {
  const passed = Math.max(0, now.getTime() - then.getTime())
  if (passed < MINUTE) return 'less than a minute'
  const { size, unit } = UNITS.find((each) => passed < each.upTo) ?? LARGEST
  const count = Math.floor(passed / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
