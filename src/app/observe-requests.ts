import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { EVENT_STREAM } from '../http/event-stream.ts'
import type { Deps } from './deps.ts'

/**
 * One log line, one measurement and, where tracing is on, one span for every request that was let in. What is turned away is
 * counted and no more, here as before the router.
 */
export function observeRequests(
  app: FastifyInstance,
  { config, log, metrics }: Deps,
  shed: (door: string) => void,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply
    const { door, method } = request
    // A line for each would cost more than turning it away did.
    if (request.shed) {
      shed(door)
      return done()
    }
    // A stream that went on for an hour was not slow.
    if (!isStream(reply)) metrics.observeRequest(door, method, status, elapsedTime / 1_000)
    // The path without its query: codes, hints and tokens travel in queries and are nobody's to log.
    const path = (request.url.split('?', 1)[0] ?? '').slice(0, 200)
    const line = { reqId: request.id, door, method, path, status, ms: Math.round(elapsedTime) }
    log[status >= 500 ? 'error' : 'info'](line, 'request')
    if (config.otlpUrl !== null) traceRequest(request, reply, path)
    done()
  })
}

function isStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith(EVENT_STREAM)
}

function traceRequest(request: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply, path: string): void {
  const route = request.routeOptions.url
  const end = Date.now()
  trace
    .getTracer('handover')
    .startSpan(`${request.method} ${route ?? request.door}`, {
      kind: SpanKind.SERVER,
      startTime: end - elapsedTime,
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
}
