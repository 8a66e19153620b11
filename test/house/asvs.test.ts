import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { asvsFaults, asvsRows, isMet } from './asvs.ts'
import { ASVS_LEVELS } from './asvs-numbers.ts'
import { PlantedTree } from './planted-tree.ts'

const root = join(import.meta.dirname, '../..')

test('there are 70 requirements of level 1 and 183 of level 2', () => {
  const levels = [...ASVS_LEVELS.values()]
  assert.deepEqual([levels.filter((level) => level === '1').length, levels.length], [70, 253])
})

test('every requirement is met where it says and shown by what it names, does not apply, or is said not to be met', async () => {
  assert.deepEqual(await asvsFaults(root, ASVS_LEVELS), [])
})

test('the sum at the top is right, and every requirement that is not met is named there', async () => {
  const text = await readFile(join(root, 'docs/asvs.md'), 'utf8')
  const rows = asvsRows(text)
  const not = rows.filter(({ shownBy }) => shownBy.startsWith('not met'))
  const met = rows.filter(isMet).length
  const sum = `**${met} are met, ${rows.length - met - not.length} do not apply, ${not.length} are not met**`
  assert.ok(text.includes(`${sum}: ${not.map(({ number }) => number).join(', ')}.`), sum)
})

test('the check can fail', async () => {
  const table = (...rows: string[]) => ({ 'docs/asvs.md': rows.map((row) => `| ${row} |\n`).join('') })
  const good = 'V1.1.1 | 2 | a | `src/a.ts` | `test/a.test.ts` "says a \\| b"'
  const away = 'V1.1.2 | 2 | b | | does not apply: there is none'
  await using tree = await PlantedTree.plant({
    'src/a.ts': '',
    'test/a.test.ts': "// says c\ntest('says a | b', () => {})\n",
    ...table(good, away),
  })
  const levels = new Map([
    ['V1.1.1', '2'],
    ['V1.1.2', '2'],
  ])
  assert.deepEqual(await asvsFaults(tree.root, levels), [])

  const cases: Array<[rows: string[], fault: string]> = [
    [[good], 'V1.1.2: missing'],
    [[good, away, away], 'V1.1.2: stands there twice'],
    [[good, away, 'V1.1.9 | 2 | c | | not met: it is much work'], 'V1.1.9: there is no such requirement'],
    [[good.replace('| 2 |', '| 1 |'), away], 'V1.1.1: is of level 2'],
    [[good.replace('src/a.ts', 'src/b.ts'), away], 'V1.1.1: src/b.ts is not there'],
    [[good.replace('says a \\| b', 'says c'), away], 'V1.1.1: test/a.test.ts has no "says c"'],
    [[good.replace(/`test.*/, 'it is so'), away], 'V1.1.1: is shown by nothing'],
    [[good, away.replace('there is none', '')], 'V1.1.2: gives no reason'],
  ]
  for (const [rows, fault] of cases) {
    await tree.write(table(...rows))
    assert.deepEqual(await asvsFaults(tree.root, levels), [fault])
  }
})
