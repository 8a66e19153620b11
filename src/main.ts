import { parseArgs } from 'node:util'
import { migrateCommand } from './app/commands/migrate.ts'
import { demoCommand, serveCommand } from './app/commands/serve.ts'
import type { Terminal } from './app/commands/terminal.ts'
import type { Role } from './app/serve.ts'
import { OperatorError } from './platform/operator-error.ts'

type Command = { summary: string; help: string; run: (terminal: Terminal, args: string[]) => Promise<void> }

const COMMANDS: Record<string, Command> = {
  serve: {
    summary: 'run the service',
    help: `handover serve [--only web|worker]

Runs the service. With neither AUTH_URL nor DATABASE_URL set it runs in demo mode.
  --only web      answer requests, but leave background work to other processes
  --only worker   do background work and answer the probes, nothing else`,
    run: async (terminal, args) => serveCommand(terminal, roleFrom(options(args, 'only'))),
  },
  demo: {
    summary: 'run the service in demo mode: loopback only, seeded, embedded database',
    help: `handover demo

Runs the service on this machine only, with seeded people, facilities and applications.
Their ids and secrets are written to data/demo.env.`,
    run: async (terminal, args) => {
      options(args)
      await demoCommand(terminal)
    },
  },
  migrate: {
    summary: 'bring the database up to date and exit',
    help: `handover migrate

Applies the migrations that are missing. Any number of processes may do so at once.`,
    run: async (terminal, args) => {
      options(args)
      await migrateCommand(terminal)
    },
  },
}

const OVERVIEW = `handover: identity and webhooks for the partners of a staffing marketplace

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  handover ${name.padEnd(10)} ${summary}`)
  .join('\n')}

"handover <command> --help" says more. Settings are environment variables: see README.md.`

async function main(argv: string[], terminal: Terminal): Promise<number> {
  const [name = '--help', ...args] = argv
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.print(OVERVIEW)
    return 0
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    terminal.warn(`handover: there is no command "${name}". "handover --help" lists them.`)
    return 1
  }
  if (args.includes('--help') || args.includes('-h')) {
    terminal.print(command.help)
    return 0
  }
  try {
    await command.run(terminal, args)
    return 0
  } catch (error) {
    // What an operator can mend is one clear message; a stack trace means a bug of ours.
    terminal.warn(
      error instanceof OperatorError
        ? `handover: ${error.message}`
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error),
    )
    return 1
  }
}

function options(args: string[], ...known: string[]): Record<string, string | undefined> {
  try {
    const spec = Object.fromEntries(known.map((option) => [option, { type: 'string' as const }]))
    return parseArgs({ args, options: spec, strict: true }).values
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : 'wrong arguments')
  }
}

function roleFrom({ only }: Record<string, string | undefined>): Role {
  if (only === undefined) return 'all'
  if (only === 'web' || only === 'worker') return only
  throw new OperatorError('--only takes web or worker')
}

const line = (stream: NodeJS.WriteStream) => (text: string) =>
  void stream.write(text.endsWith('\n') ? text : `${text}\n`)

/** Everything was stopped in order by now; a connection that nobody answers at the other end does not hold us up. */
const LINGER_MS = 1_000

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  print: line(process.stdout),
  warn: line(process.stderr),
})
setTimeout(() => process.exit(), LINGER_MS).unref()
