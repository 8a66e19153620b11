import type { Db } from '../../platform/db.ts'
import { newId } from '../../platform/ids.ts'
import { startPeriodic } from '../../platform/periodic.ts'
import { createAllowances } from './allowances.ts'
import type { KeptRequest, LoggedRequest } from './logged-request.ts'
import { networkOf } from './network.ts'
import { writeRequests } from './request-log-store.ts'
import { plain } from './shown-uri.ts'

/** A request that was answered. Whether there is such an application is seen at the latest when it is written down. */
export type AnsweredRequest = Omit<LoggedRequest, 'network'> & { address: string; applicationIsKnown: boolean }

/**
 * What the teams of applications can read about their requests. It costs a request a few words in memory: they are written
 * together once a second, and when that does not get on, they are dropped and counted. Nobody ever waits for it.
 */
export type RequestLog = { record: (request: AnsweredRequest) => void; stop: () => Promise<void> }

/** What is told of rows that were lost: there was no room for them, or they could not be written. */
export type RowsLost = (why: 'no_room' | 'not_written', count: number) => void

const WRITE_EVERY_MS = 1_000
const MOST_WAITING = 5_000
/** What the database refuses must not stop for ever what comes after it. */
const MOST_TRIES = 5
const LONGEST_REASON = 300

export function startRequestLog(
  db: Db,
  {
    lost,
    failed,
    writeEveryMs = WRITE_EVERY_MS,
  }: { lost: RowsLost; failed: (error: unknown) => void; writeEveryMs?: number },
): RequestLog {
  const allowances = createAllowances()
  let waiting: KeptRequest[] = []
  let tries = 0

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const writing = waiting
    waiting = []
    try {
      await writeRequests(db, writing)
      tries = 0
    } catch (error) {
      tries += 1
      const again = tries < MOST_TRIES ? writing.slice(0, Math.max(0, MOST_WAITING - waiting.length)) : []
      waiting = [...again, ...waiting]
      if (again.length === 0) tries = 0
      if (again.length < writing.length) lost('not_written', writing.length - again.length)
      throw error
    }
  }

  const loop = startPeriodic(writeEveryMs, write, failed)
  return {
    record(request) {
      const { address, applicationIsKnown, refusal, ...rest } = request
      if (waiting.length >= MOST_WAITING) return lost('no_room', 1)
      const kind = applicationIsKnown ? (refusal === null ? 'done' : 'refused') : 'claimed'
      // By address too, so that a flood at one of them hides nothing of the others.
      const leftOut = allowances.take(kind, `${rest.applicationId} ${rest.path}`, rest.at.getTime())
      if (leftOut === null) return
      const reason = refusal && { ...refusal, reason: plain(refusal.reason, LONGEST_REASON) }
      waiting.push({ ...rest, id: newId('rql'), refusal: reason, network: networkOf(address), leftOut })
    },
    stop: async () => {
      await loop.stop()
      await write().catch(failed)
    },
  }
}
