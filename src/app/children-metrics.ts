import type { Worker as Child } from 'node:cluster'
import { gatheredMetrics, type Measured } from '../platform/gathered-metrics.ts'
import type { ReadMetrics } from '../platform/metrics.ts'
import { within } from '../platform/within.ts'
import { MEASURE } from './child.ts'

/** Less than Prometheus waits for all of them. */
const CHILD_PATIENCE_MS = 2_000

/** What every process that is ready has measured. One that dies or hangs is missing in it, and keeps nobody from being told of the others. */
export function measuredByAll(children: ReadonlyMap<number, Child>): ReadMetrics {
  let underway: Promise<string> | null = null
  async function ask(): Promise<string> {
    const numbered = [...children].toSorted(([one], [other]) => one - other)
    const parts = await Promise.all(numbered.map(([process, child]) => measuredBy(process, child)))
    return gatheredMetrics(parts.filter((part) => part !== null))
  }
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    // Many who ask, one question.
    read: () => {
      underway ??= ask().finally(() => {
        underway = null
      })
      return underway
    },
  }
}

async function measuredBy(process: number, child: Child): Promise<Measured | null> {
  const answer = Promise.withResolvers<Measured | null>()
  // An answer that came too late for whoever asked before is as good.
  const onMessage = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('measured' in message)) return
    if (typeof message.measured === 'string') answer.resolve({ process, text: message.measured })
  }
  const onExit = () => answer.resolve(null)
  child.on('message', onMessage).once('exit', onExit)
  child.send(MEASURE, (error) => error !== null && answer.resolve(null))
  try {
    return await within(CHILD_PATIENCE_MS, 'A process', answer.promise)
  } catch {
    return null
  } finally {
    child.off('message', onMessage).off('exit', onExit)
  }
}
