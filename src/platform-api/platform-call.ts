import type { LiveKey } from '../domain/platform-keys/platform-key-store.ts'
import type { Audiences } from '../domain/tokens/audience.ts'
import type { Call, Operation } from '../http/operation.ts'
import type { Bell } from '../platform/bell.ts'
import type { Db } from '../platform/db.ts'

/** A call with a platform key. The environment is always the key's; no request can name another. */
export type PlatformCall = Call & {
  db: Db
  key: LiveKey
  audiences: Audiences
  /** Rung when there is something to deliver. */
  bell: Bell
}

export type PlatformOperation = Operation<PlatformCall>
