import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const text = await readFile(join(root, 'docs/scaling.md'), 'utf8')

function quoted(line: string): string[] {
  return [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')
}

test('every file that docs/scaling.md names is there', async () => {
  const paths = quoted(text).filter((name) => /^(src|migrations)\/\S+$/.test(name))
  assert.ok(paths.length > 15, `${paths.length} paths`)
  for (const path of paths) await stat(join(root, path)).catch(() => assert.fail(`${path} is not there`))
})

test('every statement that would have to change is in the file that is named', async () => {
  const rows = text.split('\n').filter((line) => line.startsWith('| `src/'))
  assert.ok(rows.length > 10, `${rows.length} statements`)
  for (const row of rows) {
    const [path = '', statement = ''] = quoted(row)
    const file = join(root, path)
    const source = (await stat(file)).isDirectory() ? (await readdir(file)).join('\n') : await readFile(file, 'utf8')
    assert.ok(new RegExp(`\\b${statement}\\b`).test(source), `${statement} is not in ${path}`)
  }
})

test('every noun has a place, in the directory or at home', async () => {
  const entries = await readdir(join(root, 'src/domain'), { withFileTypes: true })
  const nouns = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const table = text.slice(text.indexOf('| noun in `src/domain/`'), text.indexOf('### What has to change'))
  const placed = quoted(table).filter((name) => name !== 'src/domain/')
  assert.deepEqual(placed.toSorted(), nouns.toSorted())
})

test('every table that would be distributed or copied exists', async () => {
  const files = await readdir(join(root, 'migrations'))
  const migrations = await Promise.all(files.map((file) => readFile(join(root, 'migrations', file), 'utf8')))
  const tables = new Set(
    migrations.flatMap((sql) => [...sql.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name]) => name ?? '')),
  )
  const lines = text.split('\n').filter((line) => /^- (Distribution column|Reference tables):/.test(line))
  const named = lines.flatMap(quoted).filter((name) => name !== 'application_id')
  assert.ok(named.length > 15, `${named.length} tables`)
  for (const name of named) assert.ok(tables.has(name), `there is no table ${name}`)
})
