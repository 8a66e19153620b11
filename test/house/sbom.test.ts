import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { deliveredPaths, type LockFile, nameAt } from '../../scripts/sbom/lock-file.ts'
import { SBOM_PATH, sbomFile } from '../../scripts/sbom/sbom-file.ts'
import { copyLines } from '../harness/image-folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

type License = { license?: { id?: string }; expression?: string }
type Component = {
  type: string
  'bom-ref': string
  name: string
  version: string
  scope?: string
  purl: string
  licenses: License[]
  hashes?: Array<{ alg: string; content: string }>
}
type Bom = {
  bomFormat: string
  specVersion: string
  version: number
  metadata: { component: Component; timestamp?: string }
  components: Component[]
  dependencies: Array<{ ref: string; dependsOn: string[] }>
}

const text = await sbomFile(root)
const bom: Bom = JSON.parse(text)

test('the file is what the lock file says now (npm run sbom), and the image has it', async () => {
  assert.equal(await readFile(join(root, SBOM_PATH), 'utf8'), text)
  const copied = (await copyLines()).flatMap(({ sources }) => sources)
  assert.ok(
    copied.some((source) => SBOM_PATH.startsWith(`${source}/`)),
    copied.join(),
  )
})

test('it is CycloneDX: what the schema requires, references that lead somewhere, nothing twice', () => {
  assert.deepEqual([bom.bomFormat, bom.specVersion, bom.version], ['CycloneDX', '1.6', 1])
  const known = new Set([bom.metadata.component, ...bom.components].map((component) => component['bom-ref']))
  assert.equal(known.size, bom.components.length + 1)
  for (const { ref, dependsOn } of bom.dependencies)
    for (const one of [ref, ...dependsOn]) assert.ok(known.has(one), one)
  assert.equal(new Set(bom.dependencies.map(({ ref }) => ref)).size, bom.dependencies.length)
  for (const { type, purl, version, scope } of bom.components) {
    assert.match(purl, /^pkg:(?:npm|generic)\/[\w.%/-]+@[\w.-]+$/)
    assert.ok(['library', 'application', 'platform'].includes(type) && version !== '', purl)
    assert.ok(scope === 'required' || scope === 'optional', purl)
  }
})

test('every package that is delivered is in it, in its version, with licence and hash', async () => {
  const { packages }: LockFile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const delivered = deliveredPaths({ packages }).map((path) => `${nameAt(path)} ${packages[path]?.version}`)
  const listed = bom.components.filter(({ purl }) => purl.startsWith('pkg:npm/'))
  assert.ok(delivered.length > 90, `${delivered.length} packages`)
  assert.deepEqual(
    listed.map(({ name, version }) => `${name} ${version}`).toSorted(),
    [...new Set(delivered)].toSorted(),
  )
  for (const { purl, licenses, hashes } of listed) {
    assert.ok(
      licenses.every(({ license, expression }) => (license?.id ?? expression ?? '') !== ''),
      purl,
    )
    assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, purl)
  }
})

// npm's own list leaves out what a tool of development needs as well (npm 11.19: jose, semver), so it is held against ours, not the other way round.
test('what npm lists is in it, with the same hash', async () => {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  const theirs: Bom = JSON.parse(stdout)
  assert.ok(theirs.components.length > 80, `${theirs.components.length} components`)
  const hashOf = new Map(bom.components.map(({ purl, hashes }) => [purl, hashes]))
  for (const { purl, hashes } of theirs.components) assert.deepEqual(hashes, hashOf.get(purl), purl)
})

test('what package.json asks for is what the service leans on, and the programs inside packages are named', async () => {
  const manifest: Record<'dependencies' | 'optionalDependencies', Record<string, string>> = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  const asked = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })
  const direct = bom.dependencies.find(({ ref }) => ref === bom.metadata.component['bom-ref'])
  assert.deepEqual(
    direct?.dependsOn,
    asked.map(([name, version]) => `pkg:npm/${name.replace('@', '%40')}@${version}`).toSorted(),
  )
  const postgres = bom.components.find(({ name }) => name === 'postgresql')
  assert.match(postgres?.version ?? '', /^18\.\d+$/)
  assert.equal(postgres?.scope, 'optional')
  const bringers = bom.dependencies.filter(({ dependsOn }) => dependsOn.includes(postgres?.purl ?? ''))
  assert.equal(bringers.length, 4)
  assert.ok(bom.components.some(({ name, type }) => name === 'node' && type === 'platform'))
})
