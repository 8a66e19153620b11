import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Connection } from '../connection.ts'
import { Unreachable } from '../http-call.ts'
import { isPassing } from '../is-passing.ts'
import { numberOf } from '../json-value.ts'
import type { Output } from '../output.ts'
import { Refused } from '../refused.ts'
import type { Delivering } from './deliver.ts'
import { remark, waitingInWords } from './listen-words.ts'
import { messageFrom } from './message.ts'
import { readStream, type StreamEnd, type StreamTiming } from './open-stream.ts'
import { REPORT_MS } from './report-answer.ts'

export type Timing = StreamTiming & {
  firstPauseMs: number
  longestPauseMs: number
  giveUpAfterMs: number
  /** For one try to report an answer. */
  reportMs: number
}

export const USUAL_TIMING: Omit<Timing, 'giveUpAfterMs'> = {
  silenceMs: 25_000,
  firstPauseMs: 250,
  longestPauseMs: 10_000,
  reportMs: REPORT_MS,
}

export type FollowParts = {
  connection: Connection
  name: string
  output: Output
  delivering: Delivering
  timing: Timing
  interrupted: AbortSignal
  /** The last stream of this computer's runs before this one; null when that is not certain. */
  streamBefore: number | null
  /** The first connection is there. */
  ready: () => void
}

/** What was missed while nobody was connected, until all of it is over. */
type Missed = { all: number; left: number }

/** For how long it has been tried to connect, as of this moment. */
type Lost = { triedMs: number; at: number }

export type Following = {
  run: () => Promise<void>
  /** One more delivery is over. */
  done: () => void
  /** The number of our last stream. */
  lastStream: () => number | null
}

/**
 * Follows a listener's stream for as long as nobody interrupts: again and again, when the service restarts, the network goes
 * away or the computer slept. Nothing has to be remembered for that, because what was not answered comes again.
 */
export function createFollowing(parts: FollowParts): Following {
  const { connection, name, output, delivering, timing, interrupted, streamBefore, ready } = parts
  let missed: Missed | null = null
  let lost: Lost | null = null
  let stream = streamBefore
  let pause = timing.firstPauseMs
  let isFirst = true

  function done(): void {
    if (missed === null) return
    missed.left -= 1
    if (missed.left > 0) return
    remark(output, { kind: 'caught-up', missed: missed.all }, `caught up ${missed.all} missed`)
    missed = null
  }

  function connected(data: unknown): void {
    const count = Math.max(0, (numberOf(data, 'count') ?? 0) - delivering.underWay())
    const before = stream
    stream = numberOf(data, 'stream')
    // Somebody else had a stream since ours, perhaps, and was handed what is handed to us now.
    if (before === null || stream !== before + 1) delivering.doubt(numberOf(data, 'handedOut') ?? 0)
    if (isFirst) ready()
    else if (lost !== null) remark(output, { kind: 'connected', waiting: count }, 'connected again')
    if (count > 0 && (isFirst || lost !== null)) {
      missed = { all: count, left: count + delivering.underWay() }
      if (isFirst) remark(output, { kind: 'waiting', waiting: count }, `${waitingInWords(count)} from before`)
    }
    isFirst = false
    lost = null
    pause = timing.firstPauseMs
  }

  function delivery(data: unknown): void {
    const message = messageFrom(data)
    if (message === null) return output.say('Something came that this version does not understand. Is it too old?')
    delivering.take(message)
  }

  /** Says so once, waits a little longer each time, and gives up when that has gone on for too long. */
  async function tryAgain(why: string | null): Promise<void> {
    const now = performance.now()
    if (lost === null) {
      lost = { triedMs: 0, at: now }
      remark(output, { kind: 'lost', why }, `connection lost, trying again${why === null ? '' : ` (${why})`}`)
    } else {
      // One try takes no longer than this: the computer slept, and nothing was tried meanwhile.
      const longest = timing.silenceMs + timing.longestPauseMs
      lost = { triedMs: lost.triedMs + Math.min(now - lost.at, longest), at: now }
    }
    if (lost.triedMs > timing.giveUpAfterMs) {
      const seconds = Math.round(timing.giveUpAfterMs / 1_000)
      throw new OperatorError(
        `No connection to ${connection.baseUrl} for ${seconds} s, so listen ends. What happens meanwhile waits on the server.`,
      )
    }
    await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal: interrupted }).catch(() => {})
    pause = Math.min(pause * 2, timing.longestPauseMs)
  }

  async function once(): Promise<StreamEnd | { passing: Error }> {
    try {
      return await readStream(connection, name, { waiting: connected, delivery }, timing, interrupted)
    } catch (error) {
      if (isPassing(error)) return { passing: error }
      throw explained(error, name)
    }
  }

  async function run(): Promise<void> {
    while (!interrupted.aborted) {
      const end = await once()
      if (typeof end === 'object') {
        await tryAgain(end.passing instanceof Unreachable ? null : end.passing.message)
        continue
      }
      switch (end) {
        case 'interrupted':
          return
        case 'replaced':
          throw new OperatorError(
            `Another "handover listen" took over the listener "${name}". With another --name both get everything.`,
          )
        case 'deleted':
          throw gone(name)
        case 'lost':
        case 'stopping':
          await tryAgain(end === 'stopping' ? 'the service restarts' : null)
          continue
        case 'expired':
          // Another token is fetched when this one is refused; for one that is good again nothing has to be said.
          await sleep(timing.firstPauseMs)
          continue
        case 'renew':
          continue
      }
    }
  }

  return { run, done, lastStream: () => stream }
}

function gone(name: string): OperatorError {
  return new OperatorError(`The listener "${name}" was deleted. Start listen again to make it anew.`)
}

function explained(error: unknown, name: string): unknown {
  return error instanceof Refused && error.code === 'not_found' ? gone(name) : error
}
