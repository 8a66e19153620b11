import type { Command } from './platform/command.ts'
import { OperatorError } from './platform/operator-error.ts'
import type { Terminal } from './platform/terminal.ts'

/** A command's code is loaded when it is asked for: who checks a signature does not wait for a web server to load. */
type Entry = { summary: string; load: () => Promise<Command> }

const OPERATORS: Record<string, Entry> = {
  serve: {
    summary: 'run the service',
    load: async () => (await import('./app/commands/serve.ts')).serveCommand,
  },
  demo: {
    summary: 'run the service in demo mode: loopback only, seeded, embedded database',
    load: async () => (await import('./app/commands/serve.ts')).demoCommand,
  },
  keys: {
    summary: 'list or rotate the keys that sign tokens',
    load: async () => (await import('./app/commands/keys.ts')).keysCommand,
  },
  'master-key': {
    summary: 'encrypt everything again with a new master key',
    load: async () => (await import('./app/commands/master-key.ts')).masterKeyCommand,
  },
  'platform-key': {
    summary: 'make, list or revoke the keys of the marketplace’s own back end',
    load: async () => (await import('./app/commands/platform-key.ts')).platformKeyCommand,
  },
  staff: {
    summary: 'add, list, reset or remove accounts of the support console',
    load: async () => (await import('./app/commands/staff.ts')).staffCommand,
  },
  migrate: {
    summary: 'bring the database up to date and exit',
    load: async () => (await import('./app/commands/migrate.ts')).migrateCommand,
  },
}

const COMMANDS: Record<string, Entry> = { ...OPERATORS }

const OVERVIEW = `handover: identity and webhooks for the partners of a staffing marketplace

${listed(OPERATORS)}

"handover <command> --help" says more. Settings are environment variables: see README.md.`

function listed(entries: Record<string, Entry>): string {
  return Object.entries(entries)
    .map(([name, { summary }]) => `  handover ${name.padEnd(12)} ${summary}`)
    .join('\n')
}

async function main(argv: string[], terminal: Terminal): Promise<number> {
  const [name = '--help', ...args] = argv
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.print(OVERVIEW)
    return 0
  }
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry === undefined) {
    terminal.warn(`handover: there is no command "${name}". "handover --help" lists them.`)
    return 1
  }
  const command = await entry.load()
  if (args.includes('--help') || args.includes('-h')) {
    terminal.print(command.help)
    return 0
  }
  try {
    await command.run(terminal, args)
    return 0
  } catch (error) {
    // What its user can mend is one clear message; a stack trace means a bug of ours.
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

const line = (stream: NodeJS.WriteStream) => (text: string) =>
  void stream.write(text.endsWith('\n') ? text : `${text}\n`)

// Whoever read what we print may go away (a pipe, a terminal); that is no reason for a service to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/** Everything was stopped in order by now; a connection that nobody answers at the other end does not hold us up. */
const LINGER_MS = 1_000

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  print: line(process.stdout),
  warn: line(process.stderr),
})
setTimeout(() => process.exit(), LINGER_MS).unref()
