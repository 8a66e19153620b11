// Runs the tests: all of them, or the files and options given, as in
//   npm run tests -- test/house/names.test.ts --test-name-pattern='line'
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

const everyTest = ['test/**/*.test.ts', 'src/**/*.test.ts']
const given = process.argv.slice(2)
const files = given.filter((argument) => !argument.startsWith('-'))

const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-global-setup=test/harness/global-set-up.ts',
    // Node keeps one core free, so that two cores would run one file at a time; ours mostly wait for PostgreSQL and browsers.
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    // No test comes near it: it turns one that hangs into one that fails.
    '--test-timeout=300000',
    ...given.filter((argument) => argument.startsWith('-')),
    ...(files.length === 0 ? everyTest : files),
  ],
  { stdio: 'inherit' },
)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
child.on('close', (code) => {
  process.exitCode = code ?? 1
})
