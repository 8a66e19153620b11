import { setTimeout as sleep } from 'node:timers/promises'
import { exampleData } from '../../../domain/deliveries/example-data.ts'
import type { DemoValues } from '../demo-values.ts'

/** What became of the webhook that a newcomer sees first. `why` is a sentence for them. */
export type FirstWebhook =
  | { outcome: 'delivered'; seconds: number }
  /** Somebody disabled it since the last start; what is sent to it is held. */
  | { outcome: 'disabled' }
  | { outcome: 'not-delivered'; why: string }

/** So long everything together may take. Whoever waits for a demo is not kept waiting by it for longer. */
export const PATIENCE_MS = 8_000

const LOOK_EVERY_MS = 20
const PATH = '/first-webhook'
const TYPE = 'shift.created'

/**
 * Everything that an integrator does, the way they do it: over HTTP, with the machine application's token. The webhook of an
 * earlier start is used again. It listens to another facility than the examples for newcomers, so that what they make happen
 * there comes to their own webhook alone.
 */
export async function sendFirstWebhook(values: DemoValues, patienceMs = PATIENCE_MS): Promise<FirstWebhook> {
  const limit = AbortSignal.timeout(patienceMs)
  try {
    const webhook = await ensureWebhook(values, await fetchToken(values, limit), limit)
    if (webhook.status === 'disabled') return { outcome: 'disabled' }
    const published = Date.now()
    const eventId = await publish(values, limit)
    const { receivedAt, signature } = await untilReceived(values, eventId, limit)
    if (!signature.valid) return { outcome: 'not-delivered', why: `It came, but: ${signature.reason}` }
    return { outcome: 'delivered', seconds: (Date.parse(receivedAt) - published) / 1_000 }
  } catch (error) {
    if (limit.aborted) return { outcome: 'not-delivered', why: `It took longer than ${patienceMs / 1_000} s.` }
    return { outcome: 'not-delivered', why: error instanceof Error ? error.message : String(error) }
  }
}

async function fetchToken(values: DemoValues, signal: AbortSignal): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    audience: values.API_AUDIENCE_SANDBOX,
    client_id: values.MACHINE_CLIENT_ID,
    client_secret: values.MACHINE_CLIENT_SECRET,
  })
  const { access_token }: { access_token: string } = await ask(values.TOKEN_URL, { method: 'POST', body, signal })
  return access_token
}

type Webhook = { id: string; url: string; status: string }

async function ensureWebhook(values: DemoValues, token: string, signal: AbortSignal): Promise<Webhook> {
  const url = values.RECEIVER_URL + PATH
  const facilities = [values.SANDBOX_FACILITIES.split(',')[1]]
  const known = await findWebhook(values, token, signal)
  if (known?.url === url) return known
  // Another RECEIVER_PORT than last time: the webhook moves with it.
  const { data }: { data: Webhook } =
    known === null
      ? await ask(values.WEBHOOKS_URL, asJson('POST', token, { url, events: [TYPE], facilities }, signal))
      : await ask(`${values.WEBHOOKS_URL}/${known.id}`, asJson('PATCH', token, { url }, signal))
  return data
}

/** It is among the first that were ever made, so every page may have to be read. */
async function findWebhook(values: DemoValues, token: string, signal: AbortSignal): Promise<Webhook | null> {
  const headers = { authorization: `Bearer ${token}` }
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '?limit=100' : `?limit=100&cursor=${cursor}`
    const page: { data: Webhook[]; next: string | null } = await ask(values.WEBHOOKS_URL + query, { headers, signal })
    const found = page.data.find(({ url }) => /^http:\/\/localhost:\d+\/first-webhook$/.test(url))
    if (found !== undefined) return found
    cursor = page.next
  }
  return null
}

async function publish(values: DemoValues, signal: AbortSignal): Promise<string> {
  const facilityId = values.SANDBOX_FACILITIES.split(',')[1]
  const event = { environment: 'sandbox', type: TYPE, facilityId, data: JSON.parse(exampleData(TYPE)) }
  const { data }: { data: { id: string } } = await ask(
    values.EVENTS_URL,
    asJson('POST', values.PLATFORM_KEY, event, signal),
  )
  return data.id
}

type Arrived = {
  receivedAt: string
  path: string
  headers: Record<string, string>
  signature: { valid: boolean; reason?: string }
}

async function untilReceived(values: DemoValues, eventId: string, signal: AbortSignal): Promise<Arrived> {
  for (;;) {
    const { data }: { data: Arrived[] } = await ask(`${values.RECEIVER_URL}/received`, { signal })
    const arrived = data.find(({ path, headers }) => path === PATH && headers['webhook-id'] === eventId)
    if (arrived !== undefined) return arrived
    await sleep(LOOK_EVERY_MS, undefined, { signal })
  }
}

function asJson(method: string, bearer: string, body: object, signal: AbortSignal): RequestInit {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  return { method, headers, body: JSON.stringify(body), signal }
}

/** Refusals carry no secret, so the code of one may be shown. */
async function ask<Body>(url: string, request: RequestInit): Promise<Body> {
  const answer = await fetch(url, request).catch((error: unknown) => {
    throw new Error(unreachableWords(new URL(url), error), { cause: error })
  })
  const text = await answer.text()
  if (answer.ok) return JSON.parse(text)
  const code = /"(?:code|error)":"(\w+)"/.exec(text)?.[1] ?? ''
  throw new Error(`${new URL(url).pathname} answered ${answer.status} ${code}`.trimEnd().concat('.'))
}

/** What went wrong stands in the cause; by itself `fetch` says only that something did. */
function unreachableWords({ origin, port }: URL, error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  if (cause instanceof Error && cause.message === 'bad port')
    return `Browsers, and clients that do as they do, refuse port ${port}: choose others with PORT and RECEIVER_PORT.`
  // A name with several addresses fails with one error for each, and then only the code says what they have in common.
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(error)
  return `${origin} could not be asked (${code}).`
}
