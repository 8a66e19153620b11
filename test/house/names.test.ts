import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { nameFaults } from './names.ts'

test('names, sizes, exports and READMEs keep to the habits of the house', async () => {
  assert.deepEqual(await nameFaults(join(import.meta.dirname, '../..')), [])
})
