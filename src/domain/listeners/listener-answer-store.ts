import type { DbOrTransaction } from '../../platform/db.ts'
import { endWhenSilent } from '../../platform/end-when-silent.ts'
import { LEASE_SECONDS } from '../deliveries/claim-store.ts'
import { isDeliveryId } from '../deliveries/delivery-id.ts'
import { writeOutcomes } from '../deliveries/settle-store.ts'
import type { ListenerPlace } from './listener.ts'

/** What came of forwarding a delivery to the address that the listener forwards to. */
export type LocalAnswer = {
  deliveryId: string
  attempt: number
  /** The `webhook-timestamp` that was forwarded: by it the request can be shown as it was. */
  signedAt: Date | null
  /** Where it was forwarded to; null when the listener does not say. */
  url: string | null
  status: number | null
  /** Which stage failed when there is no status, in the words of an attempt that we make ourselves. */
  error: string | null
  message: string | null
  durationMs: number
  responseHead: string | null
  responseBody: Buffer | null
}

export type Answered =
  /** Counted now, or by an earlier report of the same attempt. */
  | { outcome: 'counted'; state: string }
  /** Over without it: cancelled, or too old. Or an attempt that nobody was asked to make. */
  | { outcome: 'not-waiting'; state: string }
  | { outcome: 'unknown' }

type Claimed = { fence: number; url: string; created_at: Date; now: Date }

/**
 * One attempt decides, as with a resend by hand: there is nobody for whom it would be worth trying again by itself. It says
 * nothing of the webhook's health. Telling it twice is the same as telling it once.
 */
export async function settleAnswer(tx: DbOrTransaction, place: ListenerPlace, answer: LocalAnswer): Promise<Answered> {
  const { deliveryId, attempt } = answer
  if (!isDeliveryId(deliveryId)) return { outcome: 'unknown' }
  const [, [claim]] = await Promise.all([endWhenSilent(tx), claimAttempt(tx, place, deliveryId, attempt)])
  if (claim === undefined) return knownAnswer(tx, place, deliveryId, attempt)
  const isDelivered = answer.status !== null && answer.status >= 200 && answer.status < 300
  const kind = isDelivered ? 'delivered' : 'failed'
  const { status, error, message, durationMs, responseHead, responseBody } = answer
  await writeOutcomes(tx, [
    {
      claim: { id: deliveryId, fence: claim.fence, url: answer.url ?? claim.url },
      verdict: { outcome: { kind }, pauseSeconds: null, disable: false },
      startedAt: startOf(claim, answer),
      durationMs,
      status,
      error,
      message,
      responseHead,
      responseBody,
    },
  ])
  return { outcome: 'counted', state: kind }
}

/** When it was signed, if that can be true; otherwise as long ago as it took. */
function startOf({ created_at, now }: Claimed, { signedAt, durationMs }: LocalAnswer): Date {
  // What is signed has whole seconds, and so has it an earlier moment than the delivery within its first one.
  const isTrue = signedAt !== null && signedAt.getTime() > created_at.getTime() - 1_000 && signedAt <= now
  return isTrue ? signedAt : new Date(now.getTime() - durationMs)
}

/** Leased, which ends with the transaction: what is written of an attempt is written by who holds a lease. */
function claimAttempt(tx: DbOrTransaction, place: ListenerPlace, id: string, attempt: number) {
  return tx<Claimed[]>`
    update deliveries set leased_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      fence = floor(random() * 2147483647)::int
    from webhooks
    where deliveries.id = ${id} and deliveries.state = 'pending' and deliveries.attempts + 1 = ${attempt}
      and deliveries.sent and (leased_until is null or leased_until <= now())
      and webhooks.id = deliveries.webhook_id and ${theirs(tx, place)}
    returning fence, url, deliveries.created_at, clock_timestamp() as now`.execute()
}

async function knownAnswer(tx: DbOrTransaction, place: ListenerPlace, id: string, attempt: number): Promise<Answered> {
  const [row] = await tx<Array<{ state: string; attempts: number }>>`
    select found.* from webhooks cross join lateral (
      select state, attempts from finished_deliveries where webhook_id = webhooks.id and id = ${id}
      union all
      select state, attempts from deliveries where webhook_id = webhooks.id and id = ${id}
    ) as found
    where ${theirs(tx, place)} order by attempts desc limit 1`
  if (row === undefined) return { outcome: 'unknown' }
  return { outcome: row.attempts >= attempt ? 'counted' : 'not-waiting', state: row.state }
}

function theirs(tx: DbOrTransaction, { applicationId, name }: ListenerPlace) {
  return tx`webhooks.application_id = ${applicationId} and webhooks.listener = ${name}`
}
