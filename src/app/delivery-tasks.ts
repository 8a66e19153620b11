import { createFailingWatch, type FailingWatch } from '../delivery/failing-watch.ts'
import { cancelDeparted } from '../domain/deliveries/departed-store.ts'
import { readQueueFigures } from '../domain/deliveries/queue-figures-store.ts'
import { forgetOldReplays } from '../domain/deliveries/replay-store.ts'
import { ensureDeliveryDays, keepRetention } from '../domain/deliveries/retention-store.ts'
import { DATABASE_PATIENCE_MS } from '../platform/db.ts'
import { within } from '../platform/within.ts'
import type { Deps } from './deps.ts'
import { HOUR, MINUTE, SECOND, type Task } from './task.ts'

/** What goes on around the sending of webhooks. */
export function deliveryTasks(deps: Deps, failing: FailingWatch): Task[] {
  const { db } = deps
  return [
    { what: 'cancel what waits for deleted webhooks', everyMs: SECOND, turn: () => cancelDeparted(db) },
    { what: 'measure the queue', everyMs: 5 * SECOND, turn: () => measureQueue(deps) },
    { what: 'warn of failing webhooks and disable them', everyMs: MINUTE, turn: failing.turn },
    { what: 'forget what is older than it is kept', everyMs: 10 * MINUTE, turn: () => forgetOldDays(deps) },
    { what: 'forget replays that are over', everyMs: 10 * MINUTE, turn: () => forgetOldReplays(db) },
    { what: 'make the days to come', everyMs: HOUR, turn: () => ensureDeliveryDays(db) },
  ]
}

/** Owners are told by mail, the operator by a line and a number: a webhook that nobody can be written to has only these. */
export function watchFailing({ db, clock, mail, metrics, log }: Deps, baseUrl: string): FailingWatch {
  return createFailingWatch({
    db,
    clock,
    mailer: mail.mailer,
    baseUrl,
    warned: ({ webhookId, applicationId, environment, percent, disabledFrom, recipients }) => {
      metrics.delivery.webhookWarnings.labels(String(percent)).inc()
      log.warn(
        {
          webhook: webhookId,
          application: applicationId,
          environment,
          percent,
          disabledFrom,
          mails: mail.mailer === null ? 0 : recipients.length,
        },
        'a webhook keeps failing and will be disabled',
      )
    },
    disabled: ({ webhookId, applicationId, environment, because, recipients }) => {
      metrics.delivery.webhooksDisabled.labels(because).inc()
      log.warn(
        {
          webhook: webhookId,
          application: applicationId,
          environment,
          because,
          mails: mail.mailer === null ? 0 : recipients.length,
        },
        'a webhook was disabled',
      )
    },
    failed: (what, error) => log.warn({ err: error, task: what }, 'a mail was not sent; it is tried again'),
  })
}

export async function measureQueue({ db, metrics: { delivery } }: Deps): Promise<void> {
  const measured = within(DATABASE_PATIENCE_MS, 'Measuring the queue', readQueueFigures(db))
  const figures = await measured.catch((error: unknown) => {
    delivery.forgetQueue()
    throw error
  })
  delivery.oldestDueSeconds.set(figures.oldestDueSeconds)
  delivery.deliveries.set({ state: 'pending' }, figures.pending)
  delivery.deliveries.set({ state: 'held' }, figures.held)
  delivery.deliveries.set({ state: 'in_flight' }, figures.inFlight)
  delivery.openCircuits.set(figures.openCircuits)
  delivery.failingWebhooks.set(figures.failingWebhooks)
}

async function forgetOldDays({ db, log }: Deps): Promise<void> {
  const { expired, dropped, forgotten } = await keepRetention(db)
  if (expired + dropped.length + forgotten > 0) log.info({ expired, dropped, forgotten }, 'old days forgotten')
}
