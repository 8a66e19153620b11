import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { knownSettings } from '../harness/known-settings.ts'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The names in the first cell of each row of the table that begins with this head; ◆ marks a secret. */
function tableOf(page: string, head: string): { names: Set<string>; secrets: Set<string> } {
  const names = new Set<string>()
  const secrets = new Set<string>()
  for (const part of page.split(head).slice(1)) {
    for (const row of part.split('\n').slice(2)) {
      if (!row.startsWith('|')) break
      const cell = row.split('|')[1] ?? ''
      for (const [, name = ''] of cell.matchAll(/`([A-Z_]+)`/g)) {
        names.add(name)
        if (cell.includes('◆')) secrets.add(name)
      }
    }
  }
  return { names, secrets }
}

for (const path of ['README.md', 'docs/pages/operations/configure.md'])
  test(`${path} has every setting, no other, and says which may be files`, async () => {
    const told = tableOf(await read(path), '| variable | default | meaning |')
    const known = knownSettings()
    assert.deepEqual([...told.names].toSorted(), [...known.names].toSorted())
    assert.deepEqual([...told.secrets].toSorted(), [...known.secrets].toSorted())
  })
