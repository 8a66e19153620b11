import { Gauge, type Registry } from 'prom-client'

/**
 * A figure that is not there until somebody has measured it. prom-client would let it begin at 0: processes that measure nothing
 * would speak for those that do, and nobody would notice that none does.
 */
export function measuredGauge(registry: Registry, name: string, help: string): Gauge {
  const gauge = new Gauge({ name, help, registers: [registry] })
  gauge.remove()
  return gauge
}
