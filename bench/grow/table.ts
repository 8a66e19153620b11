import type { Section } from '../report.ts'

/** One line for what was measured, with a figure for each size; a section of the report for each would be pages. */
export function printHead(names: readonly string[]): void {
  const group = (title: string) => title.padEnd(WIDTH * names.length)
  console.log(
    `\n${' '.repeat(TITLE)}${group('p50 ms')}${group('p99 ms')}${group('database CPU µs')}largest to smallest, and the first time`,
  )
  const sizes = names.map((name) => name.padEnd(WIDTH)).join('')
  console.log(`${' '.repeat(TITLE)}${sizes.repeat(3)}p50   CPU     p50   CPU`)
}

export function printLine({ title, contenders, bars }: Section, first: Section): void {
  const figures = Object.values(contenders)
  const cells = [
    ...figures.map(({ p50 }) => p50.toFixed(2)),
    ...figures.map(({ p99 }) => p99.toFixed(2)),
    ...figures.map(({ databaseCpuMicroseconds }) => databaseCpuMicroseconds?.toFixed(0) ?? '–'),
  ]
  const ratios = `${ratiosOf(bars)}  ${ratiosOf(first.bars)}`
  const missed = bars.some(({ reached }) => !reached) ? 'MISSED' : ''
  console.log(
    `  ${title.padEnd(TITLE - 2)}${cells.map((cell) => cell.padEnd(WIDTH)).join('')}${ratios}${missed}`.trimEnd(),
  )
}

function ratiosOf(bars: Section['bars']): string {
  return bars.map(({ ratio }) => ratio.median.toFixed(2).padEnd(6)).join('')
}

const TITLE = 48
const WIDTH = 11
