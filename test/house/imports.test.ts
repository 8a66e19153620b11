import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { type Imports, readImports } from './imports.ts'
import { filesUnder } from './source-files.ts'

const root = join(import.meta.dirname, '../..')

suite('imports', () => {
  let imports: Imports

  before(async () => {
    imports = await readImports(root)
  })

  test('keep to the rules of .dependency-cruiser.js', () => {
    assert.deepEqual(imports.violations, [])
  })

  test('are read from every file of src', async () => {
    const files = (await filesUnder(root, 'src')).filter((path) => path.endsWith('.ts'))
    assert.ok(files.length > 0)
    assert.deepEqual(imports.modules, files)
  })

  test('point one way between folders', () => {
    assert.deepEqual(imports.pairsBothWays, [])
  })
})
