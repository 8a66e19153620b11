import { ENVIRONMENTS } from '../../domain/environment.ts'
import { newPlatformKey, type PlatformKey } from '../../domain/platform-keys/platform-key.ts'
import {
  insertPlatformKey,
  listPlatformKeys,
  revokePlatformKey,
} from '../../domain/platform-keys/platform-key-store.ts'
import { newId } from '../../platform/ids.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import { parseStorageConfig } from '../config.ts'
import { columns, moment } from './columns.ts'
import { withMigratedDatabase } from './migrated-database.ts'
import type { Terminal } from './terminal.ts'

const LONGEST_NAME = 100

/** Only the key goes to standard output, so that a script can take it from there. */
export async function createPlatformKeyCommand(
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

export async function listPlatformKeysCommand(terminal: Terminal): Promise<void> {
  await withMigratedDatabase(parseStorageConfig(terminal.env), terminal, async (db) => {
    const keys = await listPlatformKeys(db)
    terminal.print(keys.length === 0 ? 'There are no platform keys.' : keyTable(keys))
  })
}

export async function revokePlatformKeyCommand(terminal: Terminal, id: string): Promise<void> {
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
