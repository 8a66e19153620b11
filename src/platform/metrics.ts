import { Counter, collectDefaultMetrics, type Gauge, Histogram, Registry } from 'prom-client'
import { createDeliveryMetrics, type DeliveryMetrics } from './delivery-metrics.ts'
import { measuredGauge } from './measured-gauge.ts'

/** What Prometheus reads. */
export type ReadMetrics = { read: () => Promise<string>; contentType: string }

export type Metrics = ReadMetrics & {
  registry: Registry
  observeRequest: (door: string, method: string, status: number, seconds: number) => void
  clockSkewSeconds: Gauge
  requestsShed: Counter<'door'>
  requestLogLost: Counter<'why'>
  delivery: DeliveryMetrics
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const httpRequestSeconds = new Histogram({
    name: 'handover_http_request_seconds',
    help: 'Time from the request line to the end of the answer',
    labelNames: ['door', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const requestsShed = new Counter({
    name: 'handover_http_requests_shed_total',
    help: 'Requests that were turned away with 503, because more was asked of the process than it could do in time',
    labelNames: ['door'],
    registers: [registry],
  })
  const requestLogLost = new Counter({
    name: 'handover_request_log_lost_total',
    help: 'Requests that teams cannot read about in the portal, because there was no room or they could not be written',
    labelNames: ['why'],
    registers: [registry],
  })
  // An increase is seen only where a number was seen before.
  for (const why of ['no_room', 'not_written']) requestLogLost.labels(why).inc(0)
  // Doors, methods and statuses are few; finding a series by its labels anew costs more than the measurement.
  const series = new Map<string, ReturnType<typeof httpRequestSeconds.labels>>()
  return {
    registry,
    read: () => registry.metrics(),
    contentType: registry.contentType,
    observeRequest: (door, method, status, seconds) => {
      const name = `${door} ${method} ${status}`
      const known = series.get(name) ?? httpRequestSeconds.labels(door, method, String(status))
      series.set(name, known)
      known.observe(seconds)
    },
    clockSkewSeconds: measuredGauge(
      registry,
      'handover_clock_skew_seconds',
      "How far this machine's clock runs ahead of the database's",
    ),
    requestsShed,
    requestLogLost,
    delivery: createDeliveryMetrics(registry),
  }
}
