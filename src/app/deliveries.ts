import { type DeliveryLoop, startDeliveryLoop } from '../delivery/loop.ts'
import type { Attempted } from '../domain/deliveries/settle-store.ts'
import type { Bell } from '../platform/bell.ts'
import type { DeliveryMetrics } from '../platform/delivery-metrics.ts'
import { createSafeAgent } from '../platform/safe-request/safe-agent.ts'
import type { Deps } from './deps.ts'

/** D4: name, connection, TLS and headers together. */
const ATTEMPT_MS = 15_000

/** The delivery worker of this process, woken by whoever stores something to deliver. */
export function startDeliveries({ db, cipher, config, log, metrics }: Deps, bell: Bell): DeliveryLoop {
  const loop = startDeliveryLoop({
    db,
    audiences: config.audiences,
    cipher,
    sender: { agent: createSafeAgent({ loopbackAllowed: config.demo }), totalMs: ATTEMPT_MS },
    observe: (attempted, counted) => {
      measureAttempt(metrics.delivery, attempted, counted)
      const { claim, status, error, durationMs, verdict } = attempted
      log.info(
        {
          delivery: claim.id,
          webhook: claim.webhookId,
          event: claim.eventId,
          attempt: claim.attempts + 1,
          outcome: verdict.outcome.kind,
          status,
          error,
          ms: durationMs,
          counted,
        },
        'attempt',
      )
    },
    failed: (what, error) => log.warn({ err: error }, what),
  })
  bell.listen(loop.wake)
  return loop
}

function measureAttempt(metrics: DeliveryMetrics, attempted: Attempted, counted: boolean): void {
  const { claim, error, startedAt, durationMs, verdict } = attempted
  const { kind } = verdict.outcome
  const wrong = kind === 'delivered' ? 'none' : (error ?? 'status')
  metrics.observeAttempt(counted ? kind : 'not_counted', wrong, durationMs / 1_000)
  // Both moments are the database's (decision A7); after a failure the time says more about the schedule of retries.
  if (counted && kind === 'delivered' && claim.attempts === 0)
    metrics.publishToReceiptSeconds.observe(
      Math.max(0, startedAt.getTime() + durationMs - claim.createdAt.getTime()) / 1_000,
    )
}
