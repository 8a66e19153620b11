import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeFromDraft } from './draft-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'handover-draft-'))
after(() => rm(folder, { recursive: true }))

/** More than the kernel gives out. */
const NOBODY = 99_999_999

test('what a killed process left is removed; copies that somebody keeps under numbers stay', async () => {
  const file = join(folder, 'backup')
  const others = ['backup.1', 'backup.20261115', `backup.${NOBODY}`, 'backup.draft-', 'backup.draft-x', 'other.draft-1']
  for (const name of [...others, `backup.draft-${NOBODY}`]) await writeFile(join(folder, name), name)
  await makeFromDraft(file, 'new', (draft) => rename(draft, file))
  assert.deepEqual((await readdir(folder)).toSorted(), ['backup', ...others].toSorted())
  assert.equal(await readFile(file, 'utf8'), 'new')
})

test('a draft whose process lives is left to it', async () => {
  const file = join(folder, 'lively')
  await writeFile(`${file}.draft-${process.ppid}`, 'under way')
  await makeFromDraft(file, 'new', (draft) => rename(draft, file))
  assert.equal(await readFile(`${file}.draft-${process.ppid}`, 'utf8'), 'under way')
})
