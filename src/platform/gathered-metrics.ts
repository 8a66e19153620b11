/** What one of several processes measured, as Prometheus reads it, and the number under which it is known. */
export type Measured = { process: number; text: string }

/**
 * One answer out of those of several processes. Each series gets the number of its process and is not added to another's: a
 * counter of a process that died begins anew, which Prometheus knows how to read; a sum of counters would go back.
 */
export function gatheredMetrics(parts: readonly Measured[]): string {
  const seriesOf = new Map<string, string[]>()
  for (const { process, text } of parts)
    for (const metric of text.trimEnd().split('\n\n')) {
      const lines = metric.split('\n')
      const described = lines.filter((line) => line.startsWith('#')).join('\n')
      const series = seriesOf.get(described) ?? []
      for (const line of lines) if (!line.startsWith('#')) series.push(withProcess(line, process))
      seriesOf.set(described, series)
    }
  return [...seriesOf].map(([described, series]) => `${[described, ...series].join('\n')}\n`).join('\n')
}

/** `name 1` and `name{door="oidc"} 1` get one label more, in front. */
function withProcess(line: string, process: number): string {
  const label = `process="${process}"`
  return line.replace(/^(\w+)(\{?)/, (_, name: string, open: string) =>
    open === '' ? `${name}{${label}}` : `${name}{${label},`,
  )
}
