import { createHash } from 'node:crypto'
import type { Environment } from '../environment.ts'

/** What a refusal is about, in a few plain values. Never a token, a code, a secret or a query. */
export type RequestFacts = Readonly<Record<string, string>>

/** Why a request was refused: the code that was answered, and what the application's own team may know beyond it. */
export type Refusal = { error: string; reason: string; facts: RequestFacts }

/** A request of an application, as it was answered. */
export type LoggedRequest = {
  at: Date
  requestId: string
  applicationId: string
  environment: Environment | null
  method: string
  /** As the router writes it, so that nothing of what was sent is in it. */
  path: string
  /** The grant type, the response type, or the operation of the API. */
  operation: string | null
  status: number
  refusal: Refusal | null
  durationMs: number
  network: string
}

/** As it is written down. `leftOut` like it were not, since the one before, because there were too many. */
export type KeptRequest = LoggedRequest & { id: string; leftOut: number }

/** Refusals that are the same to whoever has to mend them. */
export type RefusalGroup = { cause: string; error: string; reason: string; times: number; lastAt: Date }

/** The same for everything that was refused for the same reason, whatever the request was about. */
export function causeOf({ error, reason }: Refusal): string {
  return createHash('sha256').update(`${error}\n${reason}`).digest('hex').slice(0, 16)
}
