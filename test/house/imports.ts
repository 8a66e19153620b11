import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ICruiseResult, IModule } from 'dependency-cruiser'

const cruiser = join(import.meta.dirname, '../../node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')

export type Imports = {
  /** The files of src that were read. */
  modules: string[]
  /** "rule: from → to" for each import that a rule of .dependency-cruiser.js forbids. */
  violations: string[]
  /** Folders that import each other, though none of their files do. */
  pairsBothWays: string[]
}

export async function readImports(root: string): Promise<Imports> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cruiser, 'src', '--config', '.dependency-cruiser.js', '--output-type', 'json', '--progress', 'none'],
    { cwd: root, maxBuffer: 256 * 1024 * 1024 },
  )
  const { modules, summary }: ICruiseResult = JSON.parse(stdout)
  const ours = modules.filter(({ source }) => source.startsWith('src/'))
  return {
    modules: ours.map(({ source }) => source).toSorted(),
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).toSorted(),
    pairsBothWays: pairsBothWays(ours),
  }
}

function pairsBothWays(modules: IModule[]): string[] {
  const arrows = new Set<string>()
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      if (resolved.startsWith('src/')) arrows.add(`${dirname(source)} ${dirname(resolved)}`)
    }
  }
  return [...arrows]
    .map((arrow) => arrow.split(' '))
    .filter(([from = '', to = '']) => from < to && arrows.has(`${to} ${from}`))
    .map((pair) => pair.join(' ⇄ '))
    .toSorted()
}
