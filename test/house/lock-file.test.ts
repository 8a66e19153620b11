import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockFileFaults } from './lock-file.ts'

test('the lock file installs the same packages on every machine', async () => {
  assert.deepEqual(await lockFileFaults(join(import.meta.dirname, '../..')), [])
})
