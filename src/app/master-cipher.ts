import { type Cipher, createCipher } from '../platform/cipher.ts'
import { OperatorError } from '../platform/operator-error.ts'
import type { Config } from './config.ts'
import { makeMasterKey, masterKeyFile, readMasterKey } from './master-key-file.ts'

/**
 * The cipher of the configured master key, or in demo mode of the one kept in the data folder. A key that is not the
 * database's is refused before anything is written; a key is made only for a database that has none.
 */
export async function masterCipher(config: Config, knownKeyId: string | null): Promise<Cipher> {
  const key = config.masterKey ?? (await readMasterKey(config.dataFolder))
  if (key === null && knownKeyId !== null) {
    throw new OperatorError(
      `The database was encrypted with master key ${knownKeyId}, but there is none at ${masterKeyFile(config.dataFolder)}. Restore that file or set HANDOVER_MASTER_KEY.`,
    )
  }
  const cipher = createCipher(key ?? (await makeMasterKey(config.dataFolder)), config.previousMasterKeys)
  if (knownKeyId !== null) requireKnownKey(cipher, knownKeyId)
  return cipher
}

/** The database's key must be ours, or the one before while a rotation is under way. */
export function requireKnownKey(cipher: Cipher, knownKeyId: string): void {
  if (cipher.knows(knownKeyId)) return
  throw new OperatorError(
    `The master key (id ${cipher.keyId}) is not the one this database was encrypted with (id ${knownKeyId}). Set HANDOVER_MASTER_KEY to that key.`,
  )
}
