import { Unreachable } from './http-call.ts'
import { Refused } from './refused.ts'

/**
 * What may be over in a moment: no network, a restart, too many at once, somebody else at the same row. Any other refusal
 * stays one, however often it is asked.
 */
export function isPassing(error: unknown): error is Refused | Unreachable {
  if (error instanceof Refused) return error.status >= 500 || error.status === 429 || error.code === 'changed_meanwhile'
  return error instanceof Unreachable
}
