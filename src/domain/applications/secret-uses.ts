import type { Db } from '../../platform/db.ts'
import { startPeriodic } from '../../platform/periodic.ts'
import { writeSecretUses } from './application-store.ts'

/** When each client secret was last used: remembered here and written now and then, never while a token is waited for. */
export type SecretUses = { used: (secretId: string, at: Date) => void; stop: () => Promise<void> }

const WRITE_EVERY_MS = 10_000

export function startSecretUses(db: Db, failed: (error: unknown) => void, writeEveryMs = WRITE_EVERY_MS): SecretUses {
  let unwritten = new Map<string, Date>()

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    const writing = unwritten
    unwritten = new Map()
    try {
      await writeSecretUses(db, writing)
    } catch (error) {
      // Nothing is lost: it is written next time, unless the secret was used again since.
      unwritten = new Map([...writing, ...unwritten])
      throw error
    }
  }

  const loop = startPeriodic(writeEveryMs, write, failed)
  return {
    used: (secretId, at) => void unwritten.set(secretId, at),
    stop: async () => {
      await loop.stop()
      await write().catch(failed)
    },
  }
}
