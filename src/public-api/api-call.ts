import type { Viewer } from '../domain/webhooks/webhook-store.ts'
import type { Call, Operation } from '../http/operation.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { DbOrTransaction } from '../platform/db.ts'
import type { TargetRules } from '../platform/safe-request/target.ts'
import type { ApiCaller } from './caller.ts'

/** A call of the public API: who makes it, and what an operation needs to carry it out. */
export type ApiCall = Call & {
  db: DbOrTransaction
  caller: ApiCaller
  cipher: Cipher
  /** What a webhook's URL may be (decision C9). */
  targets: TargetRules
  /** What is undone as a whole when it does not end well; inside a transaction, a part of it. */
  atomically: <Value>(work: (tx: DbOrTransaction) => Promise<Value>) => Promise<Value>
}

export type ApiOperation = Operation<ApiCall>

export function viewerOf({ application, userId, environment }: ApiCaller): Viewer {
  return { applicationId: application.id, environment, userId }
}
