import { styleText } from 'node:util'
import type { Finding } from './finding.ts'

const COLOURS = { ok: 'green', warning: 'yellow', wrong: 'red', skipped: 'dim' } as const
const WIDEST_STATE = 'skipped'.length

/** Some of it was said by whoever answers at the public address, and a terminal would do what these say. */
const CONTROLS = /[^\P{Cc}\n]/gu

/** A line for each finding, and below it what to do. `coloured` where a person looks. */
export function reportLines(findings: readonly Finding[], coloured: boolean): string {
  const widestCheck = Math.max(...findings.map(({ check }) => check.length))
  const margin = ' '.repeat(WIDEST_STATE + widestCheck + 4)
  return findings
    .map(({ check, state, says, advice }) => {
      const padded = state.padEnd(WIDEST_STATE)
      const mark = coloured ? styleText(COLOURS[state], padded, { validateStream: false }) : padded
      const lines = [
        `${mark}  ${check.padEnd(widestCheck)}  ${says.replace(CONTROLS, '?').replaceAll('\n', `\n${margin}`)}`,
      ]
      if (advice !== null) lines.push(`${margin}${advice}`)
      return lines.join('\n')
    })
    .join('\n')
}

/** For a script: the same findings, and how many of each kind that matters. */
export function reportJson(findings: readonly Finding[], version: string): string {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  return JSON.stringify({ version, wrong: count('wrong'), warnings: count('warning'), findings }, null, 2)
}
