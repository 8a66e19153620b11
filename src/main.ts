import type { Command } from './platform/command.ts'
import { isDatabaseAway } from './platform/database-away.ts'
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
    load: async () => (await import('./app/commands/demo.ts')).demoCommand,
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
  doctor: {
    summary: 'check a deployment and say what to do',
    load: async () => (await import('./app/commands/doctor.ts')).doctorCommand,
  },
  migrate: {
    summary: 'bring the database up to date and exit',
    load: async () => (await import('./app/commands/migrate.ts')).migrateCommand,
  },
  export: {
    summary: 'write everything of the database as one stream: for a backup, or to move',
    load: async () => (await import('./app/commands/export.ts')).exportCommand,
  },
  import: {
    summary: 'read such a stream into an empty database',
    load: async () => (await import('./app/commands/import.ts')).importCommand,
  },
}

/** Clients of a service that runs elsewhere: they need no database and no configuration of it. */
const INTEGRATORS: Record<string, Entry> = {
  login: {
    summary: 'log in by browser, and choose an application',
    load: async () => (await import('./cli/login.ts')).loginCommand,
  },
  logout: {
    summary: 'forget the login, and revoke its key',
    load: async () => (await import('./cli/logout.ts')).logoutCommand,
  },
  trigger: {
    summary: 'make an event happen in the sandbox',
    load: async () => (await import('./cli/trigger.ts')).triggerCommand,
  },
  listen: {
    summary: 'receive sandbox webhooks on this computer, without a public URL',
    load: async () => (await import('./cli/listen/listen.ts')).listenCommand,
  },
  deliveries: {
    summary: 'follow, show or resend what was sent to your webhooks',
    load: async () => (await import('./cli/deliveries.ts')).deliveriesCommand,
  },
  verify: {
    summary: 'say whether a webhook’s signature is valid, and if not, why',
    load: async () => (await import('./cli/verify.ts')).verifyCommand,
  },
}

const COMMANDS: Record<string, Entry> = { ...OPERATORS, ...INTEGRATORS }

const OVERVIEW = `handover: identity and webhooks for the partners of a staffing marketplace

For who runs the service (settings are environment variables: see README.md):
${listed(OPERATORS)}

For who connects to it:
${listed(INTEGRATORS)}

"handover <command> --help" says more.`

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
    terminal.warn(lastWords(error))
    return 1
  }
}

/** What its user can mend is one clear message; a stack trace means a bug of ours. */
function lastWords(error: unknown): string {
  if (error instanceof OperatorError) return `handover: ${error.message}`
  if (!(error instanceof Error)) return String(error)
  if (isDatabaseAway(error))
    return `handover: the database could not do it at this moment: ${error.message}. See that it runs, can be reached and has room, and try again.`
  return error.stack ?? error.message
}

const line = (stream: NodeJS.WriteStream) => (text: string) =>
  void stream.write(text.endsWith('\n') ? text : `${text}\n`)

// Whoever read what we print may go away (a pipe, a terminal); that is no reason for a service to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/** Everything was stopped in order by now; a connection that nobody answers at the other end does not hold us up. */
const LINGER_MS = 1_000

async function everythingIn(): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  print: line(process.stdout),
  warn: line(process.stderr),
  screen: process.stdout.isTTY
    ? { write: (text) => void process.stdout.write(text), columns: () => process.stdout.columns }
    : undefined,
  input: everythingIn,
})
setTimeout(() => process.exit(), LINGER_MS).unref()
