import type { Audiences } from '../domain/tokens/audience.ts'
import type { Registration } from '../domain/webhooks/registration.ts'
import type { Viewer } from '../domain/webhooks/webhook-store.ts'
import type { Call, Operation } from '../http/operation.ts'
import type { Bell } from '../platform/bell.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { Db, DbOrTransaction } from '../platform/db.ts'
import type { TargetRules } from '../platform/safe-request/target.ts'
import type { ApiCaller } from './caller.ts'
import type { ListenerStreams } from './listener-streams.ts'

/** A call of the public API: who makes it, and what an operation needs to carry it out. */
export type ApiCall = Call & {
  db: DbOrTransaction
  caller: ApiCaller
  cipher: Cipher
  /** How webhooks are made: together with those of others, or in the transaction that an Idempotency-Key begins. */
  registration: Registration
  /** What a webhook's URL may be (decision C9). */
  targets: TargetRules
  /** What is undone as a whole when it does not end well; inside a transaction, a part of it. */
  atomically: <Value>(work: (tx: DbOrTransaction) => Promise<Value>) => Promise<Value>
  /**
   * Work for when everything is committed and the answer not sent yet: waking others, and waiting for them. With an
   * Idempotency-Key the whole operation is one transaction, so it cannot do this itself.
   */
  afterCommit: (work: (db: Db) => Promise<void>) => void
  audiences: Audiences
  /** Wakes the workers; to be rung after the commit. */
  bell: Bell
  baseUrl: string
  streams: ListenerStreams
}

/** Some operations cost others something, so they have a limit of their own beside that of the API. */
export type ApiOperation = Operation<ApiCall> & { rateName?: string }

export function viewerOf({ application, userId, environment }: ApiCaller): Viewer {
  return { applicationId: application.id, environment, userId }
}

/** The body's value, for operations that can do without one. */
export function optionalBody({ body }: ApiCall): unknown {
  return body === undefined ? {} : body.value
}
