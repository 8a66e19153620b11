import { parseArgs } from 'node:util'
import { listKeysCommand, removeKeyCommand, rotateKeysCommand, rotateMasterKeyCommand } from './app/commands/keys.ts'
import { migrateCommand } from './app/commands/migrate.ts'
import {
  createPlatformKeyCommand,
  listPlatformKeysCommand,
  revokePlatformKeyCommand,
} from './app/commands/platform-key.ts'
import { demoCommand, serveCommand } from './app/commands/serve.ts'
import { addStaffCommand, listStaffCommand, removeStaffCommand, resetStaffCommand } from './app/commands/staff.ts'
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
  keys: {
    summary: 'list or rotate the keys that sign tokens',
    help: `handover keys list
handover keys rotate [--now]
handover keys remove <kid>

Rotating publishes a new key of each algorithm at once and lets it sign in a day, when every verifier has met it.
  --now   let it sign within seconds, because the current key must not be used any more
Removing a key that has stopped signing makes every token that it signed worthless at once: for a key that leaked.`,
    run: (terminal, args) => keysCommand(terminal, args),
  },
  'master-key': {
    summary: 'encrypt everything again with a new master key',
    help: `handover master-key rotate

Set HANDOVER_MASTER_KEY to the new key and HANDOVER_MASTER_KEY_PREVIOUS to the old one, restart every process with both,
run this, and remove HANDOVER_MASTER_KEY_PREVIOUS.`,
    run: async (terminal, args) => {
      const [action, ...rest] = args
      options(rest)
      if (action !== 'rotate') throw new OperatorError('master-key takes rotate')
      await rotateMasterKeyCommand(terminal)
    },
  },
  'platform-key': {
    summary: 'make, list or revoke the keys of the marketplace’s own back end',
    help: `handover platform-key create --environment production|sandbox --name <text>
handover platform-key list
handover platform-key revoke <id>

A key opens /platform/v1 in one environment. It is printed once, when it is made; only its hash is kept.
A revoked key is refused at once, by every process.`,
    run: (terminal, args) => platformKeyCommand(terminal, args),
  },
  staff: {
    summary: 'add, list, reset or remove accounts of the support console',
    help: `handover staff add --email <address> --name <text>
handover staff list
handover staff reset --email <address> [--second-factor]
handover staff remove --email <address>

Adding prints a link with which its owner chooses a password; it works once and for a day. Only the link goes to standard
output, so that a script can take it from there.
Resetting signs them out everywhere, makes their password worthless and prints another link.
  --second-factor   also forget their authenticator app and recovery codes: for a phone that is lost or broken
A member of staff who is removed is signed out at once; what they did stays in the audit log.`,
    run: (terminal, args) => staffCommand(terminal, args),
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
  .map(([name, { summary }]) => `  handover ${name.padEnd(12)} ${summary}`)
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
  return parsed(() => parseArgs({ args, options: specOf(known, 'string'), strict: true }).values)
}

function flags(args: string[], ...known: string[]): Record<string, boolean | undefined> {
  return parsed(() => parseArgs({ args, options: specOf(known, 'boolean'), strict: true }).values)
}

function specOf<Type extends 'string' | 'boolean'>(names: string[], type: Type): Record<string, { type: Type }> {
  return Object.fromEntries(names.map((name) => [name, { type }]))
}

function parsed<Values>(parse: () => Values): Values {
  try {
    return parse()
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : 'wrong arguments')
  }
}

async function keysCommand(terminal: Terminal, [action, ...rest]: string[]): Promise<void> {
  const { now } = action === 'remove' ? { now: false } : flags(rest, 'now')
  if (action === 'list' && !now) return listKeysCommand(terminal)
  const [kid] = rest
  if (action === 'remove' && kid !== undefined && rest.length === 1) return removeKeyCommand(terminal, kid)
  if (action === 'rotate') return rotateKeysCommand(terminal, now ? 'now' : 'tomorrow')
  throw new OperatorError('keys takes list, rotate [--now] or remove <kid>')
}

async function platformKeyCommand(terminal: Terminal, [action, ...rest]: string[]): Promise<void> {
  if (action === 'create') return createPlatformKeyCommand(terminal, options(rest, 'environment', 'name'))
  const [id] = rest
  if (action === 'list' && id === undefined) return listPlatformKeysCommand(terminal)
  if (action === 'revoke' && id !== undefined && rest.length === 1) return revokePlatformKeyCommand(terminal, id)
  throw new OperatorError('platform-key takes create --environment <environment> --name <text>, list or revoke <id>')
}

async function staffCommand(terminal: Terminal, [action, ...rest]: string[]): Promise<void> {
  if (action === 'add') return addStaffCommand(terminal, options(rest, 'email', 'name'))
  if (action === 'remove') return removeStaffCommand(terminal, options(rest, 'email'))
  if (action === 'list' && rest.length === 0) return listStaffCommand(terminal)
  if (action === 'reset') {
    const withoutSecondFactor = rest.includes('--second-factor')
    const others = rest.filter((each) => each !== '--second-factor')
    return resetStaffCommand(terminal, { ...options(others, 'email'), withoutSecondFactor })
  }
  throw new OperatorError('staff takes add --email <address> --name <text>, list, reset or remove --email <address>')
}

function roleFrom({ only }: Record<string, string | undefined>): Role {
  if (only === undefined) return 'all'
  if (only === 'web' || only === 'worker') return only
  throw new OperatorError('--only takes web or worker')
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
