import { ensureDeliveryDays } from '../domain/deliveries/retention-store.ts'
import { ensureRequestDays } from '../domain/requests/request-days-store.ts'
import type { Cipher } from '../platform/cipher.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { adoptMasterKey, knownMasterKeyId } from '../platform/master-key-store.ts'
import { createMetrics, type Metrics } from '../platform/metrics.ts'
import { type Migration, migrate } from '../platform/migrate.ts'
import { createPasswordHasher, type PasswordHasher } from '../platform/password-hash.ts'
import { isChild } from './child.ts'
import type { Config } from './config.ts'
import { masterCipher, requireKnownKey } from './master-cipher.ts'
import { type OutgoingMail, openMail } from './outgoing-mail.ts'
import { openStorage, openStorageBeside, ourMigrations } from './storage.ts'

/** What every part of a running process stands on: opened once, here, and closed once. Nobody gets it whole but the wiring. */
export type Deps = {
  config: Config
  log: Log
  metrics: Metrics
  clock: Clock
  db: Db
  migrations: readonly Migration[]
  cipher: Cipher
  passwords: PasswordHasher
  /** One for the whole process: in demo mode whoever sends puts it into the same mailbox. */
  mail: OutgoingMail
  close: () => Promise<void>
}

export async function openDeps(config: Config, log: Log, say: (line: string) => void): Promise<Deps> {
  // The embedded database is the parent's, if there is one.
  const { db, patiently, close } = await (isChild() ? openStorageBeside : openStorage)(config, say)
  try {
    const cipher = await masterCipher(config, await knownMasterKeyId(db))
    const migrations = await ourMigrations()
    const applied = await patiently((patient) => migrate(patient, migrations))
    if (applied.length > 0) log.info({ applied }, 'migrated')
    requireKnownKey(cipher, await adoptMasterKey(db, cipher.keyId))
    await ensureDeliveryDays(db)
    await ensureRequestDays(db)
    return {
      config,
      log,
      metrics: createMetrics(),
      clock: systemClock,
      db,
      migrations,
      cipher,
      passwords: createPasswordHasher(config.longestWaitMs),
      mail: openMail(config),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
