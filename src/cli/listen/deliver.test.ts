import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { outputFor } from '../output.ts'
import { startDelivering } from './deliver.ts'
import { openJournal } from './journal.ts'

const folder = await mkdtemp(join(tmpdir(), 'handover-deliver-'))
after(() => rm(folder, { recursive: true, force: true }))

test('what cannot be written down is not forwarded, and is not called over', async () => {
  const journal = await openJournal(join(folder, 'journal'))
  await journal.close(null)
  const heard: string[] = []
  const delivering = startDelivering({
    connection: { baseUrl: '', clientId: 'app_1', environment: 'sandbox', accessToken: async () => 'token' },
    name: 'laptop',
    forwardTo: new URL('http://127.0.0.1/'),
    journal,
    output: outputFor({ env: {}, print: (line) => void heard.push(line), warn: () => {} }),
    reportMs: 1_000,
    done: () => void heard.push('over'),
    failed: (error) => void heard.push(String(error)),
  })
  const message = { deliveryId: 'dlv_1', attempt: 1, eventId: 'evt_1', type: 'shift.created', body: '{}', headers: {} }
  delivering.take({ ...message, handedOutBefore: false })
  await delivering.finish(10_000)
  assert.match(heard.join(), /^OperatorError: The journal .+ cannot be written/)
  assert.equal(heard.length, 1)
})
