import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startHandover, type TestHandover } from '../harness/handover.ts'
import { pythonMissing, shellMissing } from '../harness/snippets.ts'
import { filesWithSamples, repository } from './documentation-files.ts'
import { NOT_RUN } from './not-run.ts'
import { blocksNotRun, blocksToRun, type NotRun, sampleFaults } from './sample-rules.ts'
import { runSamples, type SampleDemo } from './sample-shell.ts'

const files = await filesWithSamples(repository)

test('every block is run, shown, or says why not', (t) => {
  assert.deepEqual(files.flatMap(sampleFaults), [])
  const found = files.flatMap(blocksNotRun)
  for (const block of inOrder(found)) t.diagnostic(`not run: ${block}`)
  assert.deepEqual(inOrder(found), inOrder(NOT_RUN), 'test/docs/not-run.ts lists every block that is not run')
  assert.ok(existsSync(join(repository, 'test/docs/verify-samples.test.ts')), 'the samples that verify are run there')
})

describe('the samples of', { concurrency: 2, skip: shellMissing ?? pythonMissing }, () => {
  let service: TestHandover
  before(async () => {
    service = await startHandover()
  })
  after(() => service.stop())

  for (const file of files) {
    const blocks = blocksToRun(file)
    if (blocks.length === 0) continue
    test(`${file.path} (${blocks.length})`, async () => {
      const fault = await runSamples(file, blocks, demoOf(service))
      assert.ok(fault === null, fault ?? '')
    })
  }
})

/** What the commands of operators need to find the same database. */
function demoOf({ dataFolder, database }: TestHandover): SampleDemo {
  return {
    dataFolder,
    env: { HANDOVER_DEMO: '1', DATABASE_URL: database.url, HANDOVER_DATA_DIR: dataFolder },
  }
}

function inOrder(blocks: readonly NotRun[]): string[] {
  return blocks.map(({ path, first, reason }) => `${path}: ${first} (${reason})`).toSorted()
}
