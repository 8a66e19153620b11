import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { createMetrics } from '../../src/platform/metrics.ts'
import { startDeployed } from '../harness/deployed.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8')

type Rule = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}
const { groups }: { groups: Array<{ rules: Rule[] }> } = parse(await read('deploy/prometheus/alerts.yaml'))
const rules = groups.flatMap((group) => group.rules)

type Panel = { title: string; type: string; targets?: Array<{ expr: string }> }
const dashboard: { panels: Panel[]; templating: { list: Array<{ query: { query: string } | string }> } } = JSON.parse(
  await read('deploy/grafana/handover.json'),
)
const queries = [
  ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
]

// With a worker, which measures the queue: its figures are there after its first turn.
const port = await quietPort()
const service = await startDeployed({ METRICS_PORT: String(port) })
after(service.stop)
const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
assert.ok(await soon(async () => /^handover_deliveries\{state=/m.test(await scrape()), PATIENCE_MS))
const scraped = await scrape()

/** Every name that a scrape has, of series and of the metrics that they belong to. Counters without a value are only described. */
const series = new Set([...scraped.matchAll(/^([a-z_]+)(?:\{| )/gm)].map(([, name = '']) => name))
const kinds = new Map([...scraped.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind = '']) => [name, kind]))
function isKnown(name: string): boolean {
  const metric = name.replace(/_(?:bucket|sum|count)$/, '')
  return series.has(name) || kinds.has(name) || (metric !== name && kinds.get(metric) === 'histogram')
}

/** Names and labels that a query asks for, and whether it is PromQL at all. */
function readQuery(expr: string): { broken: boolean; names: string[]; labels: string[] } {
  const found = { broken: false, names: [] as string[], labels: [] as string[] }
  parser.parse(expr).iterate({
    enter: ({ type, name, from, to }) => {
      if (type.isError) found.broken = true
      if (name === 'Identifier') found.names.push(expr.slice(from, to))
      if (name === 'LabelName') found.labels.push(expr.slice(from, to))
    },
  })
  return found
}

test('every query is PromQL, and asks for metrics and labels that exist', async () => {
  assert.ok(queries.length > 30)
  const labels = new Set(['le', 'job', 'instance'])
  for (const metric of createMetrics().registry.getMetricsAsArray())
    for (const label of 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [])
      labels.add(String(label))
  for (const { where, expr } of queries) {
    const { broken, names, labels: asked } = readQuery(expr)
    assert.ok(!broken, `${where}: ${expr}`)
    assert.ok(names.length > 0, where)
    for (const name of names) assert.ok(isKnown(name), `${where}: there is no ${name}`)
    for (const label of asked) assert.ok(labels.has(label), `${where}: there is no label ${label}`)
  }
})

test('the check can fail: a query that is none, and a metric that does not exist', () => {
  assert.ok(readQuery('sum(rate(x[5m])').broken)
  assert.ok(!isKnown('handover_nothing_total'))
  assert.ok(isKnown('handover_http_request_seconds_bucket') && isKnown('handover_webhooks_disabled_total'))
})

/** What a process says before anything has happened, such as one that only answers requests. */
const atFirst = await createMetrics().read()
const isThere = (name: string) => new RegExp(`^${name}(?:\\{| )`, 'm').test(atFirst)

test('an alert for what is absent can fire: processes that do not measure it do not say 0', () => {
  const absent = rules.flatMap(({ expr }) => [...expr.matchAll(/absent\((\w+)\)/g)].map(([, name = '']) => name))
  assert.deepEqual(absent, ['handover_delivery_oldest_due_seconds'])
  for (const name of absent) assert.ok(!isThere(name), name)
})

test('an alert for an increase can fire the first time: what it counts is there from the start', () => {
  const counted = rules.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)/g)].map(([, name = '']) => name))
  assert.ok(counted.includes('handover_webhooks_disabled_total') && counted.includes('handover_request_log_lost_total'))
  for (const name of counted) assert.ok(isThere(name), name)
  assert.match(atFirst, /^handover_delivery_attempts_total\{outcome="delivered",error="none"\} 0$/m, 'a share of 0')
})

test('metrics.md has every metric of ours, its kind and its labels, and no other', async () => {
  const rows = [
    ...(await read('docs/pages/operations/metrics.md')).matchAll(/^\| `(handover_\w+)` \| (\w+)(?: by ([^|]*))? \|/gm),
  ]
  const told = rows.map(([, name = '', kind, labels = '']) => ({ name, kind, labels: labels.replaceAll(/[`\s]/g, '') }))
  const ours = createMetrics().registry.getMetricsAsArray()
  const real = ours
    .filter(({ name }) => name.startsWith('handover_'))
    .map((metric) => ({
      name: metric.name,
      kind: kinds.get(metric.name),
      labels: 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.join(',') : '',
    }))
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)
  assert.deepEqual(told.toSorted(byName), real.toSorted(byName))
  for (const [, name = ''] of (await read('docs/pages/operations/metrics.md')).matchAll(/`((?:nodejs|process)_\w+)`/g))
    assert.ok(isKnown(name), name)
})

test('every alert says how bad it is and leads to its own section, and every section has an alert', async () => {
  const page = await read('docs/pages/operations/alerts.md')
  const sections = [...page.matchAll(/^## (Handover\w+)$/gm)].map(([, name = '']) => name)
  assert.deepEqual(
    sections,
    rules.map(({ alert }) => alert),
  )
  for (const { alert, labels, annotations } of rules) {
    assert.ok(['page', 'ticket'].includes(labels.severity), alert)
    assert.equal(annotations.runbook_url, `https://id.example.com/docs/operations/alerts#${alert.toLowerCase()}`)
    const told = new RegExp(`^## ${alert}\\n\\n\\*(\\w+)\\.\\*`, 'm').exec(page)?.[1]?.toLowerCase()
    assert.equal(told, labels.severity, alert)
  }
})

test('the rules were tried out with promtool', { skip: promtoolMissing() }, () => {
  for (const args of [
    ['check', 'rules', 'deploy/prometheus/alerts.yaml'],
    ['test', 'rules', 'deploy/prometheus/alerts.test.yaml'],
  ]) {
    const ran = spawnSync('promtool', args, { cwd: fileURLToPath(ROOT), encoding: 'utf8' })
    assert.equal(ran.status, 0, ran.stdout + ran.stderr)
  }
})

function promtoolMissing(): string | false {
  const ran = spawnSync('promtool', ['--version'])
  return ran.status !== 0 && 'promtool is not here (it comes with Prometheus): its own tests of the rules were not run'
}
