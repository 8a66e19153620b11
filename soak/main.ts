// npm run soak [-- --seconds 30 --only kills]: load on three processes while everything beneath them fails, and a ledger that
// proves what was kept; then the tests of delivery and `listen` in full size.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { judgePlayed, type Played, play } from './play.ts'
import { passed, type Result, report, writeResults } from './report.ts'
import { SCENARIOS } from './scenarios.ts'

const FULL_SIZE = 'full-size'
const FULL_SIZE_TESTS = ['test/delivery/*.test.ts', 'test/cli/listen-faults.test.ts']

// Everything that was started is ended, whoever stops this.
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort())

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, only: { type: 'string' } },
})
const { only } = values
const names = [...SCENARIOS.map(({ name }) => name), FULL_SIZE]
const seconds = Number(values.seconds)

if (!(seconds > 0) || (only !== undefined && !names.includes(only))) {
  console.error(`npm run soak -- [--seconds 30] [--only ${names.join(' | ')}]`)
  process.exitCode = 1
} else {
  try {
    const isFine = [await playAll(), await testInFullSize()]
    process.exitCode = isFine.every(Boolean) ? 0 : 1
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    console.error('Stopped; everything that ran for it has ended.')
    // A fault may be under way that would wait for processes which are gone.
    process.exit(1)
  }
}

async function playAll(): Promise<boolean> {
  const results: Result[] = []
  for (const scenario of SCENARIOS) {
    if (only !== undefined && only !== scenario.name) continue
    const missing = scenario.missing()
    if (missing !== false) {
      console.log(`\n${scenario.name}: left out, because ${missing}`)
      continue
    }
    const judged = async (played: Played) => report(scenario, played, await judgePlayed(played))
    results.push(await play(await scenario.start(), { seconds, stopped: stopped.signal }, judged))
  }
  if (results.length > 0) await writeResults(results)
  return passed(results)
}

async function testInFullSize(): Promise<boolean> {
  if (only !== undefined && only !== FULL_SIZE) return true
  const options = ['--test-concurrency=1', '--test-timeout=1800000']
  const tests = spawn(process.execPath, ['scripts/tests.ts', ...options, ...FULL_SIZE_TESTS], {
    stdio: 'inherit',
    env: { ...process.env, HANDOVER_SOAK: '1' },
  })
  stopped.signal.addEventListener('abort', () => tests.kill('SIGTERM'))
  const [code] = await once(tests, 'close')
  return code === 0
}
