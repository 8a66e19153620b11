// Runs the tests: all of them, or the files and options given, as in
//   npm run tests -- test/house/names.test.ts --test-name-pattern='line'
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const everyTest = ['test/**/*.test.ts', 'src/**/*.test.ts']
const given = process.argv.slice(2)
const options = given.filter((argument) => argument.startsWith('-'))
const named = given.filter((argument) => !argument.startsWith('-'))
const files = globSync(named.length === 0 ? everyTest : named).toSorted()
if (files.length === 0) throw new Error(`There is no such test: ${named.join(' ')}`)

// Every file is a process of its own, and many start the service as another: stripping the same types each time took a third of all.
const compiled = fileURLToPath(new URL('../node_modules/.cache/handover/compiled', import.meta.url))

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort(signal))

// Who judges how long things take has the machine to itself, when all the others are done.
const alone = files.filter((file) => file.endsWith('.alone.test.ts'))
const together = files.filter((file) => !alone.includes(file))
// Node keeps one core free, so that two cores would run one file at a time; ours mostly wait for PostgreSQL and browsers. One more than
// there are cores was tried: it saved nothing of twenty minutes, and met tests that had too little of the machine.
const passed = [await run(together, Math.max(2, availableParallelism())), await run(alone, 1)]
process.exitCode = passed.every(Boolean) ? 0 : 1

async function run(tests: readonly string[], atOnce: number): Promise<boolean> {
  if (tests.length === 0) return true
  if (stopped.signal.aborted) return false
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      '--test-global-setup=test/harness/global-set-up.ts',
      `--test-concurrency=${atOnce}`,
      // No test comes near it: it turns one that hangs into one that fails.
      '--test-timeout=300000',
      ...options,
      ...tests,
    ],
    { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: compiled } },
  )
  const stop = () => child.kill(stopped.signal.reason)
  stopped.signal.addEventListener('abort', stop, { once: true })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  stopped.signal.removeEventListener('abort', stop)
  return code === 0
}
