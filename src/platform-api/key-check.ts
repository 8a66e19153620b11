import type { FastifyRequest } from 'fastify'
import { isPlatformKey } from '../domain/platform-keys/platform-key.ts'
import { findLiveKey, type LiveKey, noteKeyUse } from '../domain/platform-keys/platform-key-store.ts'
import { bearerToken } from '../http/bearer.ts'
import { Problem } from '../http/problem.ts'
import type { Afterwards } from '../platform/afterwards.ts'
import type { Db } from '../platform/db.ts'

const NOTED_EVERY_MS = 60_000

/** Who calls, before the body is read. The key is looked up each time, so that a revoked one is refused at once. */
export function keyCheck({
  db,
  afterwards,
}: {
  db: Db
  afterwards: Afterwards
}): (request: FastifyRequest) => Promise<LiveKey> {
  const noted = new Map<string, number>()

  /** After the answer, and seldom: when a key was last used is for people who tidy up. */
  function noteUse(id: string): void {
    const now = performance.now()
    const before = noted.get(id)
    if (before !== undefined && now - before < NOTED_EVERY_MS) return
    noted.set(id, now)
    afterwards.run('note the last use of a platform key', () => noteKeyUse(db, id))
  }

  return async (request) => {
    const presented = bearerToken(request)
    const key = presented !== null && isPlatformKey(presented) ? await findLiveKey(db, presented) : null
    if (key === null) throw unauthorized()
    noteUse(key.id)
    return key
  }
}

/** The same answer whatever is wrong: who tries keys learns nothing. */
function unauthorized(): Problem {
  return new Problem(
    401,
    'unauthorized',
    'Unauthorized',
    'Send a live platform key as "Authorization: Bearer hpk_…".',
    { headers: { 'www-authenticate': 'Bearer realm="handover platform"' } },
  )
}
