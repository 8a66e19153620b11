import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repository } from './documentation-files.ts'
import { checkLinks } from './links.ts'
import { pageFaults } from './page-rules.ts'

test('every page of the contents is there, no other is, and each is written as the site shows it', async () => {
  assert.deepEqual(await pageFaults(repository), [])
})

test('every link of the documentation leads to a file and a heading that exist', async (t) => {
  const { faults, outside } = await checkLinks(repository)
  assert.deepEqual(faults, [])
  for (const address of outside) t.diagnostic(`outside, never dialled: ${address}`)
})
