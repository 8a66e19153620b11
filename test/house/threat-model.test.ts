import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('every threat names what stands in its way and a test that exists', async () => {
  const model = await readFile(join(root, 'docs/threat-model.md'), 'utf8')
  const rows = model.split('\n').filter((line) => /^\| [STRIDE] \|/.test(line))
  assert.ok(rows.length > 30, `${rows.length} threats`)
  for (const row of rows) {
    const [, , threat = '', answer = '', tests = ''] = row.split('|').map((cell) => cell.trim())
    assert.ok(threat !== '' && answer !== '', row)
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? '')
    assert.ok(named.length > 0, row)
    for (const path of named) await readFile(join(root, path)).catch(() => assert.fail(`${path} is not there: ${row}`))
  }
})
