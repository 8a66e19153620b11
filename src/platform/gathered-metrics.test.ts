import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Registry } from 'prom-client'
import { gatheredMetrics } from './gathered-metrics.ts'

async function measured(count: number): Promise<string> {
  const registry = new Registry()
  const requests = new Counter({ name: 'requests_total', help: 'Asked', labelNames: ['path'], registers: [registry] })
  requests.labels('/a "b" }{ \n').inc(count)
  new Gauge({ name: 'lag_seconds', help: 'Late', registers: [registry] }).set(count / 10)
  return registry.metrics()
}

test('each series under the number of its process; each metric is described once', async () => {
  const parts = [
    { process: 1, text: await measured(3) },
    { process: 2, text: await measured(5) },
  ]
  assert.equal(
    gatheredMetrics(parts),
    `# HELP requests_total Asked
# TYPE requests_total counter
requests_total{process="1",path="/a \\"b\\" }{ \\n"} 3
requests_total{process="2",path="/a \\"b\\" }{ \\n"} 5

# HELP lag_seconds Late
# TYPE lag_seconds gauge
lag_seconds{process="1"} 0.3
lag_seconds{process="2"} 0.5
`,
  )
})

test('a metric that only one has, and nobody who answers', () => {
  const worker = '# HELP due_seconds Due\n# TYPE due_seconds gauge\ndue_seconds 4\n'
  const web = '# HELP due_seconds Due\n# TYPE due_seconds gauge\n'
  const parts = [
    { process: 1, text: web },
    { process: 2, text: worker },
  ]
  assert.equal(gatheredMetrics(parts), '# HELP due_seconds Due\n# TYPE due_seconds gauge\ndue_seconds{process="2"} 4\n')
  assert.equal(gatheredMetrics([]), '')
})
