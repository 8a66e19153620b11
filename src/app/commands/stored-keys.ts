import type { Cipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import { knownMasterKeyId } from '../../platform/master-key-store.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { parseConfig } from '../config.ts'
import { masterCipher } from '../master-cipher.ts'
import { openStorageBeside } from '../storage.ts'

/** Work on a database that has keys, with the master key that opens them. */
export async function withKeys(
  { env, warn }: Terminal,
  work: (db: Db, cipher: Cipher, knownKeyId: string) => Promise<void>,
): Promise<void> {
  const config = parseConfig(env)
  const { db, close } = await openStorageBeside(config, warn)
  try {
    const knownKeyId = await knownMasterKeyId(db)
    if (knownKeyId === null)
      throw new OperatorError('This database has no keys yet: "handover serve" makes them at its first start.')
    await work(db, await masterCipher(config, knownKeyId), knownKeyId)
  } finally {
    await close()
  }
}
