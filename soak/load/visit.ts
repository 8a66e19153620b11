import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, toAnswer } from '../../test/harness/answer.ts'
import type { Ledger } from '../ledger.ts'
import type { Scene } from '../scene.ts'

/**
 * How a request ended. `unknown`: no answer came, or one that says that something went wrong on the other side; it may have
 * been done or not.
 */
export type Outcome = { kind: 'done'; answer: Answer } | { kind: 'refused'; answer: Answer } | { kind: 'unknown' }

const PATIENCE_MS = 20_000
const ASK_AGAIN_MS = 200

/** Somebody who comes again and again until the load ends. */
export type Visitor = (scene: Scene) => Promise<void>

/** One request over a connection of its own, so that each goes to whichever process is next. */
export async function ask(scene: Scene, kind: string, path: string, init: RequestInit): Promise<Outcome> {
  const outcome = await tryOnce(scene, kind, path, init)
  scene.ledger.count(kind, outcome.kind)
  return outcome
}

/** The same request until it is known how it ended; unknown only when the load has ended meanwhile. */
export async function askSurely(
  scene: Scene,
  kind: string,
  path: string,
  init: RequestInit,
): Promise<Outcome & { asked: number }> {
  for (let asked = 1; ; asked += 1) {
    const outcome = await ask(scene, kind, path, init)
    const isAnswer = outcome.kind !== 'unknown' && !isForLater(outcome.answer)
    if (isAnswer || scene.patience.aborted) return { ...outcome, asked }
    await sleep(ASK_AGAIN_MS)
  }
}

/** Too many at once, or the same request is still under way. */
function isForLater({ status, body }: Answer): boolean {
  return status === 429 || (status === 409 && body['code'] === 'still_running')
}

async function tryOnce(scene: Scene, kind: string, path: string, init: RequestInit): Promise<Outcome> {
  try {
    const headers = new Headers(init.headers)
    headers.set('connection', 'close')
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const response = await fetch(`${scene.url}${path}`, { redirect: 'manual', ...init, headers, signal })
    const answer = toAnswer(response.status, response.headers, await response.text())
    noteManners(scene.ledger, kind, answer.status, answer.headers)
    if (answer.status >= 500) return { kind: 'unknown' }
    return { kind: answer.status < 400 ? 'done' : 'refused', answer }
  } catch {
    return { kind: 'unknown' }
  }
}

/** Whatever is the matter below, callers are told to come again, and when; a 500 says that it is a fault of ours. */
export function noteManners(ledger: Ledger, kind: string, status: number, headers: Headers): void {
  const isRude = status === 500 || (status >= 502 && status !== 503)
  const saysWhen = headers.has('retry-after')
  if (!isRude && ((status !== 503 && status !== 429) || saysWhen)) return
  const what = `${kind}: ${status}${isRude ? '' : ' without Retry-After'}`
  ledger.rude.set(what, (ledger.rude.get(what) ?? 0) + 1)
}

export function form(fields: Record<string, string>): RequestInit {
  return { method: 'POST', body: new URLSearchParams(fields) }
}

export function json(method: string, token: string, body?: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  }
}

/** A pause of about that length. */
export function pause(milliseconds: number): Promise<void> {
  return sleep(milliseconds * (0.5 + Math.random()))
}
