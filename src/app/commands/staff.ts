import type { Doing } from '../../domain/audit/audit.ts'
import { textFault, tidy } from '../../domain/plain-text.ts'
import { addStaff, listStaff, removeStaff, resetStaff, type StaffSummary } from '../../domain/staff/staff-store.ts'
import { emailFault } from '../../domain/users/sign-up.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { addressesOf } from '../addresses.ts'
import { parseConfig, parseStorageConfig } from '../config.ts'
import { columns, moment } from './columns.ts'
import { withMigratedDatabase } from './migrated-database.ts'
import type { Terminal } from './terminal.ts'

const LONGEST_NAME = 100

/** Whoever may run commands has no account of ours; the log says which command it was. */
const doing = (command: string): Doing => ({
  actor: { kind: 'command', id: null, name: `handover staff ${command}` },
  requestId: null,
})

/** No password on the command line, where others can read it: its owner chooses one by a link. */
export async function addStaffCommand(
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

export async function listStaffCommand(terminal: Terminal): Promise<void> {
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const staff = await listStaff(db)
    terminal.print(staff.length === 0 ? 'There are no accounts of staff.' : staffTable(staff))
  })
}

export async function resetStaffCommand(
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

export async function removeStaffCommand(terminal: Terminal, given: { email?: string | undefined }): Promise<void> {
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
