import { LONGEST_ANSWER_MS } from '../../domain/listeners/listener.ts'
import type { Connection } from '../connection.ts'
import { type Output, oneLine } from '../output.ts'
import { forward, type LocalAnswer } from './forward.ts'
import type { Journal, Repetition, Report } from './journal.ts'
import { recordForwarded, remark } from './listen-words.ts'
import { keyOf, type Message } from './message.ts'
import { reportAnswer } from './report-answer.ts'

/** Forwards what is handed out and reports what came of it; each attempt once, however often it is handed out. */
export type Delivering = {
  /** Answers whether it is news; otherwise it is under way already. */
  take: (message: Message) => boolean
  /** So many were handed out, perhaps to somebody else. Of those that our journal does not know, nobody here can tell. */
  doubt: (handedOut: number) => void
  /** Nothing is left of which that is so. */
  isCertain: () => boolean
  /** What an earlier run knows the answer of, and did not get to report. */
  reportLeft: () => Promise<void>
  underWay: () => number
  /** Waits for what is under way, but no longer than so; what is left then is for the next run. */
  finish: (patienceMs: number) => Promise<void>
}

export type DeliveringParts = {
  connection: Connection
  name: string
  forwardTo: URL
  journal: Journal
  output: Output
  reportMs: number
  /** One more is over. */
  done: () => void
  /** Nothing that trying again would mend. */
  failed: (error: unknown) => void
}

/** Far more than can be on their way at a time. */
const MOST_REMEMBERED = 1_000

export function startDelivering(parts: DeliveringParts): Delivering {
  const { connection, name, forwardTo, journal, output, reportMs, done, failed } = parts
  const { origin, pathname, search } = forwardTo
  const url = origin + pathname + search
  const giveUp = new AbortController()
  const underWay = new Map<string, Promise<void>>()
  /** Reported not long ago: handed out once more while the report was on its way, it is news to nobody. */
  const over = new Set<string>()
  let doubtful = 0

  function begin(key: string, work: Promise<void>): void {
    underWay.set(key, landed(key, work))
  }

  async function landed(key: string, work: Promise<void>): Promise<void> {
    try {
      await work
      underWay.delete(key)
      done()
    } catch (error) {
      underWay.delete(key)
      failed(error)
    }
  }

  async function report(key: string, answer: Report): Promise<void> {
    const reported = await reportAnswer(connection, name, answer, giveUp.signal, reportMs)
    if (reported === 'given-up') return
    journal.reported(key)
    over.add(key)
    const [oldest] = over.size > MOST_REMEMBERED ? over : []
    if (oldest !== undefined) over.delete(oldest)
    if (reported === 'counted') return
    const why = reported === 'refused' ? 'has an answer that the service does not take' : 'does not wait any more'
    output.say(`${answer.deliveryId} ${why}, so this answer is in no log.`)
  }

  async function deliver(key: string, message: Message): Promise<void> {
    const before = journal.left.get(key)
    if (before?.state === 'answered') return report(key, before.report)
    const repetition = repetitionOf(before !== undefined, message)
    await journal.forwarding(key)
    const answer = reportOf(message, url, await forward(message, forwardTo))
    await journal.answered(key, answer, repetition)
    recordForwarded(output, message, answer, repetition)
    await report(key, answer)
  }

  function repetitionOf(isKnown: boolean, { handedOutBefore }: Message): Repetition {
    // What was handed to this very run and got lost on its way is in no doubt: our journal would know it.
    const isDoubtful = handedOutBefore && doubtful > 0
    if (isDoubtful) doubtful -= 1
    if (isKnown) return 'repeated'
    return isDoubtful ? 'possibly repeated' : 'first'
  }

  return {
    take(message) {
      const key = keyOf(message)
      if (underWay.has(key) || over.has(key)) return false
      begin(key, deliver(key, message))
      return true
    },
    doubt(handedOut) {
      // Some of them may be under way from here; but which of those the service still counted, nobody knows.
      doubtful = handedOut
    },
    isCertain: () => doubtful === 0,
    async reportLeft() {
      for (const [key, entry] of journal.left) {
        if (entry.state !== 'answered') continue
        const { repetition } = entry
        const { deliveryId } = entry.report
        // The kill may have come before its line.
        const words = repetition === 'first' ? '' : ` (${repetition})`
        remark(
          output,
          { kind: 'reported', deliveryId, repetition },
          `${oneLine(deliveryId)} was answered before the last end${words}; reporting it now.`,
        )
        begin(key, report(key, entry.report))
      }
      await Promise.all(underWay.values())
    },
    underWay: () => underWay.size,
    async finish(patienceMs) {
      const timer = setTimeout(() => giveUp.abort(), patienceMs)
      const all = Promise.all(underWay.values())
      // What is being forwarded when patience ends goes on for nobody: the journal says that it began.
      await Promise.race([all, new Promise((ended) => giveUp.signal.addEventListener('abort', ended))])
      clearTimeout(timer)
    },
  }
}

function reportOf({ deliveryId, attempt, headers }: Message, url: string, answer: LocalAnswer): Report {
  // A computer that slept meanwhile has taken longer than the service believes.
  const durationMs = Math.min(answer.durationMs, LONGEST_ANSWER_MS)
  const signedAt = Number(headers['webhook-timestamp'])
  const head = { deliveryId, attempt, url, durationMs, ...(Number.isSafeInteger(signedAt) && { signedAt }) }
  if ('error' in answer) return { ...head, error: answer.error, message: answer.message.slice(0, 500) }
  if (answer.status < 100 || answer.status > 599)
    return {
      ...head,
      error: 'protocol',
      message: `the answer has the status ${answer.status}, which HTTP does not know`,
    }
  const body = answer.bodyStart.toString('base64')
  return {
    ...head,
    status: answer.status,
    ...(answer.head !== '' && { responseHead: answer.head }),
    ...(body !== '' && { responseBody: body }),
  }
}
