import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { journalFile, openJournal, type Report } from './journal.ts'

const folder = await mkdtemp(join(tmpdir(), 'handover-journal-'))
after(() => rm(folder, { recursive: true, force: true }))

const LISTENER = { baseUrl: 'http://localhost:4000', clientId: 'app_1', name: 'laptop' }
const REPORT: Report = { deliveryId: 'dlv_1', attempt: 1, url: 'http://localhost/', status: 200, durationMs: 1 }

function newFile(name: string): string {
  return journalFile({ XDG_STATE_HOME: folder }, { ...LISTENER, name })
}

test('what was forwarded and what was answered is there after a kill; what was reported is not', async () => {
  const file = newFile('killed')
  const first = await openJournal(file)
  await Promise.all(['a 1', 'b 1', 'c 1'].map((key) => first.forwarding(key)))
  await first.answered('b 1', REPORT, 'repeated')
  await first.answered('c 1', REPORT, 'first')
  first.reported('c 1')
  await first.close(7)
  // As a power cut leaves it.
  await appendFile(file, '{"key":"d 1","state":"forw')
  const second = await openJournal(file)
  assert.equal(second.lastStream, null)
  assert.deepEqual(
    [...second.left].map(([key, entry]) => [key, entry.state === 'answered' ? entry.repetition : entry.state]),
    [
      ['a 1', 'forwarding'],
      ['b 1', 'repeated'],
    ],
  )
  await second.close(8)
  const third = await openJournal(file)
  assert.equal(third.lastStream, 8)
  assert.equal(third.left.size, 2)
  // As long as it is open, nobody else may be certain of anything.
  const meanwhile = await openJournal(file)
  assert.equal(meanwhile.lastStream, null)
  await Promise.all([third.close(null), meanwhile.close(null)])
})

test('it is for its owner alone', async () => {
  const file = newFile('private')
  const journal = await openJournal(file)
  await journal.close(null)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
})

test('one that another took over is not written to any more', async () => {
  const file = newFile('taken-over')
  const first = await openJournal(file)
  const second = await openJournal(file)
  await first.forwarding('a 1')
  await second.forwarding('b 1')
  await Promise.all([first.close(null), second.close(null)])
  assert.match(await readFile(file, 'utf8'), /^{"key":"b 1"[^\n]+\n$/)
})

test('where it cannot be written, that is said in one line', async () => {
  const file = newFile('in-the-way')
  await (await openJournal(file)).close(null)
  await assert.rejects(openJournal(join(file, 'journal')), /^OperatorError: The journal .+ cannot be written: [^\n]+$/)
})

test('each service, application and name has its own', () => {
  const files = [LISTENER, { ...LISTENER, baseUrl: 'https://a.example' }, { ...LISTENER, clientId: 'app_2' }]
  const env = { HOME: '/home/ann', XDG_STATE_HOME: 'not-absolute' }
  const paths = files.map((each) => journalFile(env, each))
  assert.equal(new Set(paths).size, 3)
  for (const path of paths)
    assert.match(path, /^\/home\/ann\/\.local\/state\/handover\/listen-laptop-[0-9a-f]{16}\.jsonl$/)
})
