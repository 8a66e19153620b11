import { type DeliveryLoop, startDeliveryLoop } from '../delivery/loop.ts'
import type { Bell } from '../platform/bell.ts'
import { createSafeAgent } from '../platform/safe-request/safe-agent.ts'
import type { Deps } from './deps.ts'

/** D4: name, connection, TLS and headers together. */
const ATTEMPT_MS = 15_000

/** The delivery worker of this process, woken by whoever stores something to deliver. */
export function startDeliveries({ db, cipher, config, log }: Deps, bell: Bell): DeliveryLoop {
  const loop = startDeliveryLoop({
    db,
    audiences: config.audiences,
    sender: {
      agent: createSafeAgent({ loopbackAllowed: config.demo }),
      cipher,
      totalMs: ATTEMPT_MS,
    },
    observe: ({ claim, status, error, durationMs, verdict }, counted) =>
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
      ),
    failed: (what, error) => log.warn({ err: error }, what),
  })
  bell.listen(loop.wake)
  return loop
}
