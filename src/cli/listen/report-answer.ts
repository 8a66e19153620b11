import { setTimeout as sleep } from 'node:timers/promises'
import { callApi } from '../call-api.ts'
import type { Connection } from '../connection.ts'
import { isPassing } from '../is-passing.ts'
import { Refused } from '../refused.ts'
import type { Report } from './journal.ts'

/** `not-waiting`: the delivery is over without it, or gone. `refused`: the service will never take it. */
export type Reported = 'counted' | 'not-waiting' | 'refused' | 'given-up'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** A connection that died without a word takes a report with it: the next one goes by another. */
export const REPORT_MS = 5_000

/** Until the service has taken it, however long that is away; whoever waits for too long gives up by the signal. */
export async function reportAnswer(
  connection: Connection,
  name: string,
  report: Report,
  giveUp: AbortSignal,
  reportMs = REPORT_MS,
): Promise<Reported> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const signal = AbortSignal.any([giveUp, AbortSignal.timeout(reportMs)])
    try {
      await callApi(connection, { method: 'POST', path: `/sandbox/listeners/${name}/answers`, body: report, signal })
      return 'counted'
    } catch (error) {
      if (giveUp.aborted) return 'given-up'
      if (error instanceof Refused && isOver(error)) return 'not-waiting'
      if (error instanceof Refused && MALFORMED.has(error.status)) return 'refused'
      if (!isPassing(error) && !signal.aborted) throw error
    }
    await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal: giveUp }).catch(() => {})
    if (giveUp.aborted) return 'given-up'
  }
}

/** That would be a fault of ours; it must not keep everything else from going on, now and at each start. */
const MALFORMED: ReadonlySet<number> = new Set([400, 413, 415, 422])

function isOver({ status, code }: Refused): boolean {
  return status === 404 || code === 'not_waiting'
}
