import { ENVIRONMENTS } from '../../domain/environment.ts'
import { newPlatformKey, type PlatformKey } from '../../domain/platform-keys/platform-key.ts'
import {
  insertPlatformKey,
  listPlatformKeys,
  revokePlatformKey,
} from '../../domain/platform-keys/platform-key-store.ts'
import { columns, moment } from '../../platform/columns.ts'
import { type Command, options } from '../../platform/command.ts'
import { newId } from '../../platform/ids.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { parseStorageConfig } from '../config.ts'
import { withMigratedDatabase } from './migrated-database.ts'

const LONGEST_NAME = 100

export const platformKeyCommand: Command = {
  help: `handover platform-key create --environment production|sandbox --name <text>
handover platform-key list
handover platform-key revoke <id>

A key opens /platform/v1 in one environment. It is printed once, when it is made; only its hash is kept.
A revoked key is refused at once, by every process.`,
  run: async (terminal, [action, ...rest]) => {
    if (action === 'create') return createKey(terminal, options(rest, 'environment', 'name'))
    const [id] = rest
    if (action === 'list' && id === undefined) return listKeys(terminal)
    if (action === 'revoke' && id !== undefined && rest.length === 1) return revokeKey(terminal, id)
    throw new OperatorError('platform-key takes create --environment <environment> --name <text>, list or revoke <id>')
  },
}

/** Only the key goes to standard output, so that a script can take it from there. */
async function createKey(
  terminal: Terminal,
  given: { environment?: string | undefined; name?: string | undefined },
): Promise<void> {
  const environment = ENVIRONMENTS.find((known) => known === given.environment)
  if (environment === undefined) throw new OperatorError('--environment takes production or sandbox')
  const name = given.name?.trim() ?? ''
  if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
    throw new OperatorError(`--name takes 1 to ${LONGEST_NAME} characters that say who uses the key`)
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const key = newPlatformKey()
    const id = newId('plk')
    await insertPlatformKey(db, { id, name, environment, key })
    terminal.print(key)
    terminal.warn(`Key ${id} for ${environment}. It is shown only now: only its hash is kept.`)
  })
}

async function listKeys(terminal: Terminal): Promise<void> {
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const keys = await listPlatformKeys(db)
    terminal.print(keys.length === 0 ? 'There are no platform keys.' : keyTable(keys))
  })
}

async function revokeKey(terminal: Terminal, id: string): Promise<void> {
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    switch (await revokePlatformKey(db, id)) {
      case 'revoked':
        return terminal.print(`Key ${id} is revoked: every process refuses it from now on.`)
      case 'revoked-before':
        return terminal.print(`Key ${id} was revoked before.`)
      case 'unknown':
        throw new OperatorError(`There is no platform key ${id}: "handover platform-key list" shows them.`)
    }
  })
}

function keyTable(keys: readonly PlatformKey[]): string {
  const rows = keys.map(({ id, environment, name, createdAt, lastUsedAt, revokedAt }) => [
    id,
    environment,
    moment(createdAt),
    moment(lastUsedAt),
    moment(revokedAt),
    name,
  ])
  return columns([['id', 'environment', 'created (UTC)', 'last used', 'revoked', 'name'], ...rows])
}
