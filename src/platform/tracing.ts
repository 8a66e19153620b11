import { trace } from '@opentelemetry/api'

export type Tracing = { stop: () => Promise<void> }

/** Spans go to an OTLP collector, and the packages for it are loaded, only when an operator asks for it. */
export async function startTracing(otlpUrl: string | null): Promise<Tracing> {
  if (otlpUrl === null) return { stop: async () => {} }
  const [{ OTLPTraceExporter }, { BatchSpanProcessor, TracerProvider }, { resourceFromAttributes }] = await Promise.all(
    [
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
    ],
  )
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'handover', 'process.pid': process.pid }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: otlpUrl, timeoutMillis: 2_000 }) }),
    ],
  })
  trace.setGlobalTracerProvider(provider)
  return {
    stop: async () => {
      // A collector that is gone must not hold up or fail a stop.
      await provider.shutdown().catch(() => {})
      trace.disable()
    },
  }
}
