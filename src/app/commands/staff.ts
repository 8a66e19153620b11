import type { Doing } from '../../domain/audit/audit.ts'
import { textFault, tidy } from '../../domain/plain-text.ts'
import { addStaff, listStaff, removeStaff, resetStaff, type StaffSummary } from '../../domain/staff/staff-store.ts'
import { emailFault } from '../../domain/users/sign-up.ts'
import { columns, moment } from '../../platform/columns.ts'
import { type Command, options } from '../../platform/command.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { addressesOf } from '../addresses.ts'
import { parseConfig, parseStorageConfig } from '../config.ts'
import { withMigratedDatabase } from './migrated-database.ts'

const LONGEST_NAME = 100

/** Whoever may run commands has no account of ours; the log says which command it was. */
const doing = (command: string): Doing => ({
  actor: { kind: 'command', id: null, name: `handover staff ${command}` },
  requestId: null,
})

export const staffCommand: Command = {
  help: `handover staff add --email <address> --name <text>
handover staff list
handover staff reset --email <address> [--second-factor]
handover staff remove --email <address>

Adding prints a link with which its owner chooses a password; it works once and for a day. Only the link goes to standard
output, so that a script can take it from there.
Resetting signs them out everywhere, makes their password worthless and prints another link.
  --second-factor   also forget their authenticator app and recovery codes: for a phone that is lost or broken
A member of staff who is removed is signed out at once; what they did stays in the audit log.`,
  run: async (terminal, [action, ...rest]) => {
    if (action === 'add') return add(terminal, options(rest, 'email', 'name'))
    if (action === 'remove') return remove(terminal, options(rest, 'email'))
    if (action === 'list' && rest.length === 0) return list(terminal)
    if (action === 'reset') {
      const withoutSecondFactor = rest.includes('--second-factor')
      const others = rest.filter((each) => each !== '--second-factor')
      return reset(terminal, { ...options(others, 'email'), withoutSecondFactor })
    }
    throw new OperatorError('staff takes add --email <address> --name <text>, list, reset or remove --email <address>')
  },
}

/** No password on the command line, where others can read it: its owner chooses one by a link. */
async function add(
  terminal: Terminal,
  given: { email?: string | undefined; name?: string | undefined },
): Promise<void> {
  const email = emailFrom(given)
  const name = tidy(given.name ?? null) ?? ''
  if (name === '' || textFault(name, LONGEST_NAME) !== null)
    throw new OperatorError(`--name takes 1 to ${LONGEST_NAME} characters that say who it is`)
  const link = linkFrom(terminal)
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const added = await addStaff(db, { email, name }, doing('add'))
    if (added === null)
      throw new OperatorError(`${email} has an account already: "handover staff reset" prints another link.`)
    terminal.print(link(added.secret))
    terminal.warn(`${name} chooses a password at this address. It works once and for a day, and is shown only now.`)
  })
}

async function list(terminal: Terminal): Promise<void> {
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const staff = await listStaff(db)
    terminal.print(staff.length === 0 ? 'There are no accounts of staff.' : staffTable(staff))
  })
}

async function reset(
  terminal: Terminal,
  given: { email?: string | undefined; withoutSecondFactor: boolean },
): Promise<void> {
  const email = emailFrom(given)
  const link = linkFrom(terminal)
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const secret = await resetStaff(db, email, given, doing('reset'))
    if (secret === null) throw unknown(email)
    terminal.print(link(secret))
    terminal.warn(`${email} is signed out everywhere and chooses a new password at this address, within a day.`)
  })
}

async function remove(terminal: Terminal, given: { email?: string | undefined }): Promise<void> {
  const email = emailFrom(given)
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    if (!(await removeStaff(db, email, doing('remove')))) throw unknown(email)
    terminal.print(`${email} has no account any more and is signed out everywhere.`)
  })
}

function emailFrom(given: { email?: string | undefined }): string {
  const email = given.email?.trim() ?? ''
  if (emailFault(email) !== null) throw new OperatorError('--email takes an address, such as ann@example.com')
  return email
}

/** Where the service answers is part of its whole configuration, which is judged before anything is changed. */
function linkFrom({ env }: Terminal): (secret: string) => string {
  const config = parseConfig(env)
  const { authUrl } = addressesOf(config, config.port)
  return (secret) => `${authUrl}/support/password?secret=${secret}`
}

function unknown(email: string): OperatorError {
  return new OperatorError(`There is no account of staff for ${email}: "handover staff list" shows them.`)
}

function staffTable(staff: readonly StaffSummary[]): string {
  const rows = staff.map(({ email, name, createdAt, lastSeenAt, hasPassword, secondFactor }) => [
    email,
    hasPassword ? 'yes' : 'no',
    secondFactor ? 'yes' : 'no',
    moment(createdAt),
    moment(lastSeenAt),
    name,
  ])
  return columns([['email', 'password', 'second factor', 'created (UTC)', 'last seen', 'name'], ...rows])
}
