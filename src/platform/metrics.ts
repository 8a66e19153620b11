import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  registry: Registry
  httpRequestSeconds: Histogram<'door' | 'method' | 'status'>
  clockSkewSeconds: Gauge
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    httpRequestSeconds: new Histogram({
      name: 'handover_http_request_seconds',
      help: 'Time from the request line to the end of the answer',
      labelNames: ['door', 'method', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
    clockSkewSeconds: new Gauge({
      name: 'handover_clock_skew_seconds',
      help: "How far this machine's clock runs ahead of the database's",
      registers: [registry],
    }),
  }
}
