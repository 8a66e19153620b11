import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sqlPlaceFaults } from './sql-place.ts'

test('SQL stands only in *-store.ts and src/platform/', async () => {
  assert.deepEqual(await sqlPlaceFaults(join(import.meta.dirname, '../..')), [])
})
