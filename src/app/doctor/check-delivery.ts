import { readQueueFigures } from '../../domain/deliveries/queue-figures-store.ts'
import { readDatabaseSettings } from '../../platform/database-settings.ts'
import type { Db } from '../../platform/db.ts'
import { type Finding, ok, skipped, warning, wrong } from './finding.ts'
import type { Patient } from './patient.ts'

/** Lateness that is worth waking somebody for (docs/pages/operations/alerts.md). */
const LATE_SECONDS = 30

export async function checkDelivery({ config }: Patient, db: Db): Promise<Finding[]> {
  const [queue, { listeners }] = await Promise.all([readQueueFigures(db), readDatabaseSettings(db)])
  const late = Math.round(queue.oldestDueSeconds)
  return [
    workersOf(listeners, config.databasePrepare, late),
    late > LATE_SECONDS
      ? wrong(
          'lateness',
          `the oldest delivery has been due for ${late} s`,
          'See workers and database; start another worker.',
        )
      : ok('lateness', `${late} s; ${queue.pending} pending, ${queue.inFlight} under way, ${queue.held} held`),
    failingOf(queue.failingWebhooks, queue.openCircuits),
  ]
}

/** A worker listens for deliveries, unless PgBouncer stands between; then only what is late tells. */
function workersOf(listeners: number, canListen: boolean, late: number): Finding {
  const check = 'workers'
  if (!canListen)
    return skipped(
      check,
      `not seen behind PgBouncer; what is due was taken up ${late > LATE_SECONDS ? 'too late' : 'in time'}`,
    )
  if (listeners > 0) return ok(check, `${listeners} ${listeners === 1 ? 'waits' : 'wait'} for deliveries`)
  const says = 'none runs: webhooks are not sent, keys do not rotate, nothing is tidied up'
  return wrong(check, says, 'Start "handover serve", or "handover serve --only worker".')
}

/** Receivers are other people’s; that some fail is not our fault, but somebody may ask. */
function failingOf(failing: number, circuits: number): Finding {
  const check = 'failing webhooks'
  if (failing === 0) return ok(check, 'none')
  const says = `${failing} without a success since their last failure, ${circuits} of them with an open circuit`
  return warning(check, says, '/support/health names their hosts.')
}
