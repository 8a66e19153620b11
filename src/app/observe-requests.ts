import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'

/** One log line, one measurement and, when tracing is on, one span for every request. */
export function observeRequests(app: FastifyInstance, { log, metrics }: { log: Log; metrics: Metrics }): void {
  const tracer = trace.getTracer('handover')
  app.addHook('onResponse', (request, reply, done) => {
    const status = reply.statusCode
    const seconds = reply.elapsedTime / 1_000
    metrics.httpRequestSeconds.observe({ door: request.door, method: request.method, status: String(status) }, seconds)

    // The route, or the path without its query: codes, hints and tokens travel in queries and are nobody's to log.
    const route = request.routeOptions.url
    const path = (request.url.split('?', 1)[0] ?? '').slice(0, 200)
    log[status >= 500 ? 'error' : 'info'](
      {
        reqId: request.id,
        door: request.door,
        method: request.method,
        path,
        status,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )

    const end = Date.now()
    tracer
      .startSpan(`${request.method} ${route ?? request.door}`, {
        kind: SpanKind.SERVER,
        startTime: end - reply.elapsedTime,
        attributes: {
          'http.request.method': request.method,
          'http.response.status_code': status,
          'url.path': path,
          'handover.request_id': request.id,
          'handover.door': request.door,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      })
      .setStatus({ code: status >= 500 ? SpanStatusCode.ERROR : SpanStatusCode.UNSET })
      .end(end)
    done()
  })
}
