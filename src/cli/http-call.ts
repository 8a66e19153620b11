import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../platform/operator-error.ts'
import { parsedJson } from './json-value.ts'
import { harmless } from './output.ts'

export type ServiceCall = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Sent as JSON, or as a form when it is URLSearchParams. */
  body?: unknown
  /** JSON text that is sent to the byte. */
  bodyText?: string
  accessToken?: string
  headers?: Record<string, string>
  /** Ends the waiting, such as Ctrl-C. */
  signal?: AbortSignal
}

export type ServiceAnswer = { status: number; headers: Headers; json: unknown }

const PATIENCE_MS = 30_000
/** Told to come back later, we do, but not for as long as somebody would think that we hang. */
const MOST_WAITS = 5
const LONGEST_WAIT_SECONDS = 60

/** The service could not be reached, or did not answer in time: it may be there again in a moment. */
export class Unreachable extends OperatorError {}

/** One request, and another when the service says when to come back (429). Any status is an answer; no answer is thrown. */
export async function callService(baseUrl: string, call: ServiceCall): Promise<ServiceAnswer> {
  for (let waits = 0; ; waits += 1) {
    const answer = await callOnce(baseUrl, call)
    if (answer.status !== 429 || waits === MOST_WAITS) return answer
    const seconds = Number(answer.headers.get('retry-after') ?? 1)
    if (!(seconds <= LONGEST_WAIT_SECONDS)) return answer
    await sleep(Math.max(seconds, 0.1) * 1_000, undefined, call.signal === undefined ? {} : { signal: call.signal })
  }
}

async function callOnce(baseUrl: string, call: ServiceCall): Promise<ServiceAnswer> {
  const { method, path, signal } = call
  const patience = AbortSignal.timeout(PATIENCE_MS)
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: headersOf(call),
      body: bodyOf(call),
      // Whatever sends us elsewhere must not get the token.
      redirect: 'manual',
      signal: signal === undefined ? patience : AbortSignal.any([patience, signal]),
    })
    return { status: response.status, headers: response.headers, json: parsedJson(await response.text()) }
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw unreachable(baseUrl, error)
  }
}

function headersOf({ body, bodyText, accessToken, headers = {} }: ServiceCall): Record<string, string> {
  const isJson = bodyText !== undefined || (body !== undefined && !(body instanceof URLSearchParams))
  return {
    accept: 'application/json',
    'user-agent': 'Handover-CLI/1.0',
    ...(isJson && { 'content-type': 'application/json' }),
    ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    ...headers,
  }
}

function bodyOf({ body, bodyText }: ServiceCall): string | URLSearchParams | null {
  if (bodyText !== undefined) return bodyText
  if (body === undefined || body instanceof URLSearchParams) return body ?? null
  return JSON.stringify(body)
}

/** What to do about it, by what the system said. */
function unreachable(baseUrl: string, error: unknown): Unreachable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const why = isLate
    ? `did not answer within ${PATIENCE_MS / 1_000} s. Try again in a moment.`
    : (WHY[code] ?? `could not be reached (${code || harmless(String(cause))}). Look at the network and the address.`)
  return new Unreachable(`${baseUrl} ${why}`, { cause: error })
}

const WHY: Record<string, string> = {
  ECONNREFUSED: 'refused the connection: is the service running, and is this its address (--url, HANDOVER_URL)?',
  ENOTFOUND: 'has a name that nobody knows. Look at the address (--url, HANDOVER_URL).',
  EAI_AGAIN: 'has a name that could not be looked up just now. Look at the network.',
  ECONNRESET: 'broke the connection off. Try again in a moment.',
  UND_ERR_SOCKET: 'broke the connection off. Try again in a moment.',
  ETIMEDOUT: 'could not be reached in time. Look at the network.',
  UND_ERR_CONNECT_TIMEOUT: 'could not be reached in time. Look at the network.',
  ENETUNREACH: 'cannot be reached from here. Look at the network.',
  EHOSTUNREACH: 'cannot be reached from here. Look at the network.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that nobody vouches for (set NODE_EXTRA_CA_CERTS to trust it).',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate that nobody vouches for (set NODE_EXTRA_CA_CERTS to trust it).',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate of another name. Look at the address.',
}
