import type { LiveSecret } from './client-secret-store.ts'

const DAY_MS = 24 * 3_600_000

/** Nobody used it for a day, and somebody used another: whoever had it has moved on. */
export function isSafeToRevoke(secret: LiveSecret, all: readonly LiveSecret[], now: Date): boolean {
  const isRecent = (moment: Date) => now.getTime() - moment.getTime() < DAY_MS
  // One that was made today may be on its way to a server.
  if (isRecent(secret.lastUsedAt ?? secret.createdAt)) return false
  return all.some(({ id, lastUsedAt }) => id !== secret.id && lastUsedAt !== null && isRecent(lastUsedAt))
}
