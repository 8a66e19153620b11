import { type Output, oneLine } from '../output.ts'
import type { Repetition, Report } from './journal.ts'
import type { Message } from './message.ts'

/** One line for each delivery: `12:03:11  shift.created  evt_…  → 200  14 ms`. */
export function recordForwarded(output: Output, message: Message, report: Report, repetition: Repetition): void {
  const { paint } = output
  const { deliveryId, attempt, eventId, type } = message
  const { status = null, error = null, durationMs } = report
  const isGood = status !== null && status >= 200 && status < 300
  const result = status === null ? `failed: ${report.message ?? error}` : String(status)
  const parts = [
    paint.faint(clockTime(new Date())),
    oneLine(type).padEnd(24),
    paint.faint(oneLine(eventId)),
    `→ ${isGood ? paint.good(result) : paint.bad(oneLine(result))}`,
    paint.faint(`${durationMs} ms`),
    ...(repetition === 'first' ? [] : [paint.doubt(repetition)]),
  ]
  output.record(
    { kind: 'delivery', deliveryId, attempt, eventId, type, status, error, durationMs, repetition },
    parts.join('  '),
  )
}

/** News of the connection: a remark to people, a value of its own with --json. */
export function remark(output: Output, value: { kind: string; [name: string]: unknown }, text: string): void {
  if (output.isJson) output.record(value, '')
  else output.say(text)
}

function clockTime(at: Date): string {
  return at.toTimeString().slice(0, 8)
}

export function waitingInWords(count: number): string {
  return count === 1 ? '1 delivery waits' : `${count.toLocaleString('en')} deliveries wait`
}
