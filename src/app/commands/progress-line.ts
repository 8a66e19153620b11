import type { Progress, Transferred } from '../../platform/transfer/progress.ts'

/** A person sees it move; more often would only cost time. */
const SHOWN_EVERY_MS = 100
const CLEAR_LINE = '\r\u001b[K'

/** One line on a terminal that says how far it is, and goes away again. Nothing where nobody looks. */
export function progressLine(done: string, wanted = true): { show: (progress: Progress) => void; clear: () => void } {
  const { stderr } = process
  if (!wanted || !stderr.isTTY || process.env['TERM'] === 'dumb') return { show: () => {}, clear: () => {} }
  let shownAt = 0
  let isOver = false
  return {
    show: ({ table, tables, tablesDone, rows, bytes }) => {
      if (isOver || performance.now() - shownAt < SHOWN_EVERY_MS) return
      shownAt = performance.now()
      const text = `${done} ${count(rows)} rows, ${size(bytes)}; table ${tablesDone + 1} of ${tables}: ${table}`
      stderr.write(CLEAR_LINE + text.slice(0, Math.max(10, stderr.columns - 1)))
    },
    // What was interrupted may go on for a moment, unseen.
    clear: () => {
      isOver = true
      if (shownAt > 0) stderr.write(CLEAR_LINE)
    },
  }
}

export function amount({ manifest, rows, bytes }: Transferred): string {
  return `${count(rows)} rows of ${manifest.tables.length} tables (${size(bytes)})`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

function size(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
