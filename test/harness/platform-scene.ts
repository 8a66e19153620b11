import assert from 'node:assert/strict'
import type { Db } from '../../src/platform/db.ts'
import { type Answer, ask } from './answer.ts'
import { type AuthorizeScene, startAuthorizeScene } from './authorize-scene.ts'
import { fingerprint } from './fingerprint.ts'

type SentHeaders = Record<string, string>

/** Calls of the platform API with one key; paths are under /platform/v1. */
export type Platform = {
  get: (path: string) => Promise<Answer>
  put: (path: string, body?: unknown) => Promise<Answer>
  post: (path: string, body: unknown) => Promise<Answer>
  delete: (path: string) => Promise<Answer>
  /** A body as it stands, JSON or not. */
  raw: (
    method: string,
    path: string,
    body: string | Uint8Array<ArrayBuffer> | null,
    headers?: SentHeaders,
  ) => Promise<Answer>
}

export function platformAt(serviceUrl: string, key: string): Platform {
  const platform: Platform = {
    get: (path) => platform.raw('GET', path, null),
    put: (path, body) => platform.raw('PUT', path, body === undefined ? null : JSON.stringify(body)),
    post: (path, body) => platform.raw('POST', path, JSON.stringify(body)),
    delete: (path) => platform.raw('DELETE', path, null),
    raw: (method, path, body, headers = {}) =>
      ask(`${serviceUrl}/platform/v1${path}`, {
        method,
        body,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== null && { 'content-type': 'application/json' }),
          ...headers,
        },
      }),
  }
  return platform
}

/** The service with the two seeded keys of the marketplace's back end. */
export type PlatformScene = AuthorizeScene & {
  production: Platform
  sandbox: Platform
  keys: Record<'production' | 'sandbox', string>
}

export async function startPlatformScene(): Promise<PlatformScene> {
  const scene = await startAuthorizeScene()
  const { PLATFORM_KEY: sandbox = '', PLATFORM_KEY_PROD: production = '' } = scene.service.demo
  return {
    ...scene,
    production: platformAt(scene.url, production),
    sandbox: platformAt(scene.url, sandbox),
    keys: { production, sandbox },
  }
}

/** The fields that a person cannot do without; the address is made from the id. */
export function personOf(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { role: 'NURSE_USER', email: `${id.replaceAll(':', '.')}@people.example`, name: `Person ${id}`, ...more }
}

/** So many people for a batch, with ids of their own. */
export function peopleOf(
  prefix: string,
  count: number,
  more: Record<string, unknown> = {},
): Array<Record<string, unknown>> {
  return Array.from({ length: count }, (_, number) => {
    const id = `${prefix}-${String(number).padStart(3, '0')}`
    return { id, ...personOf(id), ...more }
  })
}

/** What is in the envelope of an answer, which must have this status. */
export function dataOf(answer: Answer, status = 200): Record<string, unknown> {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { data } = answer.body
  assert.ok(typeof data === 'object' && data !== null, answer.text)
  return { ...data }
}

export function listOf(answer: Answer): Array<Record<string, unknown>> {
  return Object.values(dataOf(answer)).map((each) => {
    assert.ok(typeof each === 'object' && each !== null, answer.text)
    return { ...each }
  })
}

export function assertNothing(answer: Answer): void {
  assert.equal(answer.status, 204, answer.text)
  assert.equal(answer.text, '')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
}

/** Runs it, and proves that no row of any table is another one afterwards. */
export async function unchanged<Value>(db: Db, work: () => Promise<Value>): Promise<Value> {
  const before = await rows(db)
  const value = await work()
  assert.deepEqual(await rows(db), before)
  return value
}

async function rows(db: Db): Promise<Record<string, string>> {
  // When a key was last used, and what is left of a limit, is written beside everything else.
  const { platform_keys: _, rate_buckets: __, ...others } = await fingerprint(db)
  return others
}
