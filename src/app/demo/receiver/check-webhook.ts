import { webhooksOnPort } from '../../../domain/webhooks/webhook-url-store.ts'
import type { Cipher } from '../../../platform/cipher.ts'
import type { Db } from '../../../platform/db.ts'
import { isLoopbackHost } from '../../../platform/loopback.ts'
import { verifySignature } from './verify-signature.ts'

/** What the signature of a request says; `reason` is for people, and empty when it is valid. */
export type Signature = { valid: true; webhookId: string } | { valid: false; reason: string }

/** `path` with its query, as it was asked for. */
export type Arrival = { path: string; headers: Record<string, string>; body: Buffer }

const REASONS: Record<string, string> = {
  'not signed': 'A header is missing: webhook-id, webhook-timestamp or webhook-signature.',
  'wrong signature': 'No secret of the webhook at this address makes this signature.',
  'old timestamp': 'The signature is right, but webhook-timestamp is more than five minutes from now.',
}

/**
 * A receiver of your own has its secret at hand. This one looks it up: in demo mode the webhooks are in the same database.
 * Several may have the same URL; any that verifies is the one.
 */
export async function checkWebhook(db: Db, cipher: Cipher, port: number, arrival: Arrival): Promise<Signature> {
  const registered = (await webhooksOnPort(db, cipher, port)).filter(({ url }) => leadsTo(url, port, arrival.path))
  if (registered.length === 0)
    return { valid: false, reason: 'No webhook is registered for this address, so there is no secret to check with.' }
  const tried = registered.flatMap(({ webhookId, secrets }) =>
    secrets.map((secret) => ({ webhookId, verdict: verifySignature(arrival.headers, arrival.body, secret) })),
  )
  const valid = tried.find(({ verdict }) => verdict === 'valid')
  if (valid !== undefined) return { valid: true, webhookId: valid.webhookId }
  const verdicts = tried.map(({ verdict }) => verdict)
  const verdict = verdicts.includes('old timestamp') ? 'old timestamp' : (verdicts[0] ?? 'not signed')
  return { valid: false, reason: REASONS[verdict] ?? verdict }
}

/** Compared as requests are made: `http://localhost:4400` is asked for as `/`. */
function leadsTo(url: string, port: number, path: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, port: itsPort, pathname, search } = new URL(url)
  return isLoopbackHost(hostname) && Number(itsPort) === port && pathname + search === path
}
