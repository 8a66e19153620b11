import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockFileFaults } from './lock-file.ts'

for (const folder of ['.', 'bench']) {
  test(`${folder}: the lock file installs the same packages on every machine, and no script that nobody allowed`, async () => {
    assert.deepEqual(await lockFileFaults(join(import.meta.dirname, '../..', folder)), [])
  })
}
