import { OperatorError } from '../platform/operator-error.ts'
import type { Terminal } from '../platform/terminal.ts'

/** How a command tells what it does: to a person at a terminal, to a pipe, or as JSON, one value on a line. */
export type Output = {
  isJson: boolean
  /** Somebody looks, and can be shown something that goes away again. */
  isLive: boolean
  paint: Paint
  /** A remark for people. It goes to standard error, so that it is never in the way of the answer. */
  say: (text: string) => void
  /** A part of the answer: `value` with --json, `text` without. */
  record: (value: unknown, text: string) => void
  /** What is being waited for; the next line takes its place. Only where somebody looks. */
  progress: (text: string) => void
}

export type Paint = Record<keyof typeof CODES, (text: string) => string>

/** Codes of ECMA-48, each with the one that ends it. */
const CODES = { bold: [1, 22], faint: [2, 22], good: [32, 39], bad: [31, 39], doubt: [33, 39] } as const

const USUAL_COLUMNS = 80
const CLEAR_LINE = '\r\u001b[K'

export function outputFor(terminal: Terminal, { json = false }: { json?: boolean | undefined } = {}): Output {
  const { screen, env } = terminal
  const isLive = screen !== undefined && !json && env['TERM'] !== 'dumb'
  const paint = paintWith(isLive && !env['NO_COLOR'])
  let hasProgress = false

  function clear(): void {
    if (hasProgress) screen?.write(CLEAR_LINE)
    hasProgress = false
  }

  return {
    isJson: json,
    isLive,
    paint,
    say(text) {
      clear()
      terminal.warn(text)
    },
    record(value, text) {
      clear()
      // What `harmless` writes in its place is what JSON calls it.
      terminal.print(json ? harmless(JSON.stringify(value)) : text)
    },
    progress(text) {
      if (!isLive) return
      hasProgress = true
      // Cut before it is painted, so that no colour is left on.
      screen.write(CLEAR_LINE + paint.faint(text.slice(0, (screen.columns() || USUAL_COLUMNS) - 1)))
    },
  }
}

function paintWith(hasColours: boolean): Paint {
  const painter = ([on, off]: readonly [number, number]) =>
    hasColours ? (text: string) => `\u001b[${on}m${text}\u001b[${off}m` : (text: string) => text
  const { bold, faint, good, bad, doubt } = CODES
  return {
    bold: painter(bold),
    faint: painter(faint),
    good: painter(good),
    bad: painter(bad),
    doubt: painter(doubt),
  }
}

/**
 * What others wrote (a receiver's answer, a name), without the control characters with which it could write over the lines
 * before it or change the terminal. Line breaks and tabs stay.
 */
export function harmless(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (each) =>
      each === '\n' || each === '\t' ? each : `\\u${(each.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
    )
}

/** The same for what stands in a line of ours: it cannot begin another. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll(/[\n\t]+/g, ' ')
}

/** Everything on standard input, as bytes. */
export async function readInput(terminal: Terminal, what: string): Promise<Buffer> {
  if (terminal.input === undefined) throw new OperatorError(`There is no standard input to read ${what} from.`)
  return terminal.input()
}
