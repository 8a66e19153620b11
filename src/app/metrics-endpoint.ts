import type { ReadMetrics } from '../platform/metrics.ts'
import type { Listener } from './listener.ts'

/** Prometheus reads from a port of its own, which a firewall can keep inside (decision A2). */
export function answerMetrics(listener: Listener, { read, contentType }: ReadMetrics): void {
  listener.answer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at GET /metrics.\n')
      return
    }
    read().then(
      (text) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
