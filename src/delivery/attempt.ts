import type { Claim } from '../domain/deliveries/claim-store.ts'
import { requestHeaders } from '../domain/deliveries/request-headers.ts'
import { readRetryAfter, verdictOf } from '../domain/deliveries/retry-schedule.ts'
import type { Attempted } from '../domain/deliveries/settle-store.ts'
import { openSecrets } from '../domain/webhooks/sealed-secrets.ts'
import type { Cipher } from '../platform/cipher.ts'
import type { Clock } from '../platform/clock.ts'
import type { SafeAgent } from '../platform/safe-request/safe-agent.ts'
import { safeRequest } from '../platform/safe-request/safe-request.ts'

export type Sender = { agent: SafeAgent; totalMs: number }

export type SecretsOf = (claim: Claim) => readonly string[]

const BYTES_KEPT = 16 * 1_024
const HEAD_KEPT = 8 * 1_024

/**
 * One POST to one receiver (decisions D3, D4). `clock` is the database's time: what we sign is judged by receivers whose
 * clocks are right, and this machine's may not be. `left` is called when the request is on its way; when a connection had
 * to be made first, `stands` is asked before, and what does not stand is thrown as `Withdrawn`.
 */
export async function attempt(
  { agent, totalMs }: Sender,
  claim: Claim,
  secretsOf: SecretsOf,
  clock: Clock,
  { stands, left }: { stands: () => Promise<boolean>; left: () => void },
): Promise<Attempted> {
  const startedAt = clock()
  const outcome = await safeRequest(agent, {
    url: new URL(claim.url),
    method: 'POST',
    headers: requestHeaders({ id: claim.eventId, body: claim.body }, secretsOf(claim), startedAt),
    body: claim.body,
    totalMs,
    keepBytes: BYTES_KEPT,
    stillWanted: stands,
    left,
  })
  const attempted = { claim, startedAt, durationMs: outcome.durationMs }
  const tries = claim.tries + 1
  if (outcome.kind === 'failed') {
    const { error, message } = outcome
    const verdict = verdictOf({ error }, tries, Math.random())
    return { ...attempted, verdict, status: null, error, message, responseHead: null, responseBody: null }
  }
  const { status, headers, bodyStart } = outcome
  const retryAfterSeconds = readRetryAfter([headers['retry-after']].flat()[0], clock())
  return {
    ...attempted,
    verdict: verdictOf({ status, retryAfterSeconds }, tries, Math.random()),
    status,
    error: null,
    message: null,
    responseHead: headOf(headers),
    responseBody: bodyStart,
  }
}

/** Each webhook's once, for claims of the same moment: to decipher them for every one costs as much as to sign. */
export function opener(cipher: Cipher): SecretsOf {
  const opened = new Map<string, readonly string[]>()
  return ({ webhookId, secretsSealed }) => {
    const secrets = opened.get(webhookId) ?? openSecrets(cipher, webhookId, secretsSealed)
    opened.set(webhookId, secrets)
    return secrets
  }
}

/** As lines, in the order they came; NUL cannot be stored and means nothing here. */
function headOf(headers: NodeJS.Dict<string | string[]>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  )
  return lines.join('\n').replaceAll('\0', '').slice(0, HEAD_KEPT)
}
