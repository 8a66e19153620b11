import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { measuredGauge } from './measured-gauge.ts'

/** What becomes of an attempt; `not_counted` came too late, when another process had taken over. */
export type AttemptOutcome = 'delivered' | 'retry' | 'failed' | 'not_counted'

export type DeliveryMetrics = {
  /** `error` is `none`, `status` when there was an answer and it was not 2xx, or the stage that failed. */
  observeAttempt: (outcome: AttemptOutcome, error: string, seconds: number) => void
  publishToReceiptSeconds: Histogram
  oldestDueSeconds: Gauge
  deliveries: Gauge<'state'>
  openCircuits: Gauge
  failingWebhooks: Gauge
  /** What could not be measured now is not known: what was known before may long be untrue. */
  forgetQueue: () => void
  webhooksDisabled: Counter<'because'>
  webhookWarnings: Counter<'percent'>
}

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry]
  const attempts = new Counter({
    name: 'handover_delivery_attempts_total',
    help: 'Attempts to deliver a webhook, by what became of them and by what went wrong',
    labelNames: ['outcome', 'error'],
    registers,
  })
  const attemptSeconds = new Histogram({
    name: 'handover_delivery_attempt_seconds',
    help: 'Time of one attempt: name, connection, TLS and the answer of the receiver',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  })
  const oldestDueSeconds = measuredGauge(
    registry,
    'handover_delivery_oldest_due_seconds',
    'For how long the oldest delivery that could have been sent has been due',
  )
  const deliveries = new Gauge({
    name: 'handover_deliveries',
    help: 'Deliveries in the queue, by state; large numbers are estimates',
    labelNames: ['state'],
    registers,
  })
  const openCircuits = measuredGauge(
    registry,
    'handover_open_circuits',
    'Webhooks that get one probe at a time because they failed too often in a row',
  )
  const failingWebhooks = measuredGauge(
    registry,
    'handover_failing_webhooks',
    'Webhooks that have failed since their last success',
  )
  const webhooksDisabled = new Counter({
    name: 'handover_webhooks_disabled_total',
    help: 'Webhooks that were disabled because they failed for too long or said that they are gone',
    labelNames: ['because'],
    registers,
  })
  const webhookWarnings = new Counter({
    name: 'handover_webhook_warnings_total',
    help: 'Warnings that a webhook is about to be disabled, by percent of the way there',
    labelNames: ['percent'],
    registers,
  })
  // Prometheus sees an increase only where it saw a number before: what is rare begins at 0, or its first time goes unseen.
  for (const because of ['failing', 'gone']) webhooksDisabled.labels(because).inc(0)
  for (const percent of ['50', '75', '90']) webhookWarnings.labels(percent).inc(0)
  // The share of what arrives is 0, and not missing, where nothing ever arrived.
  attempts.labels('delivered', 'none').inc(0)
  return {
    observeAttempt: (outcome, error, seconds) => {
      attempts.labels(outcome, error).inc()
      attemptSeconds.labels(outcome).observe(seconds)
    },
    publishToReceiptSeconds: new Histogram({
      name: 'handover_delivery_publish_to_receipt_seconds',
      help: 'Time from the event to the 2xx of its receiver, where the first attempt was the one',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
      registers,
    }),
    oldestDueSeconds,
    deliveries,
    openCircuits,
    failingWebhooks,
    forgetQueue: () => {
      for (const gauge of [oldestDueSeconds, openCircuits, failingWebhooks]) gauge.remove()
      deliveries.reset()
    },
    webhooksDisabled,
    webhookWarnings,
  }
}
