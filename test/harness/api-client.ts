import assert from 'node:assert/strict'
import { type Answer, ask } from './answer.ts'

type SentHeaders = Record<string, string>
export type RawBody = string | Buffer<ArrayBuffer>

/** Calls of the public API with one access token; paths are under /api/v2/public. */
export type Api = {
  get: (path: string, headers?: SentHeaders) => Promise<Answer>
  post: (path: string, body?: unknown, headers?: SentHeaders) => Promise<Answer>
  patch: (path: string, body?: unknown, headers?: SentHeaders) => Promise<Answer>
  delete: (path: string, headers?: SentHeaders) => Promise<Answer>
  /** A body as it stands, JSON or not. */
  raw: (method: string, path: string, body: RawBody | null, headers?: SentHeaders) => Promise<Answer>
}

export function apiAt(serviceUrl: string, token: string): Api {
  const api: Api = {
    get: (path, headers) => api.raw('GET', path, null, headers),
    post: (path, body, headers) => api.raw('POST', path, jsonOf(body), headers),
    patch: (path, body, headers) => api.raw('PATCH', path, jsonOf(body), headers),
    delete: (path, headers) => api.raw('DELETE', path, null, headers),
    raw: (method, path, body, headers = {}) =>
      ask(`${serviceUrl}/api/v2/public${path}`, {
        method,
        body,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== null && { 'content-type': 'application/json' }),
          ...headers,
        },
      }),
  }
  return api
}

function jsonOf(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body)
}

/** A webhook as the API shows it. A user webhook has no facilities. */
export type ShownWebhook = {
  id: string
  url: string
  events: string[]
  clientId: string
  facilities?: string[]
  secrets: string[]
  status: string
  disabledReason: string | null
  createdAt: string
  updatedAt: string
}

/** The webhook in the envelope of an answer, which must have this status. */
export function webhookIn(answer: Answer, status = 200): ShownWebhook {
  assert.equal(answer.status, status, answer.text)
  const { data } = answer.body
  assert.ok(isWebhook(data), answer.text)
  return data
}

/** The page of a list, and the cursor of the next. */
export function pageIn(answer: Answer): { data: ShownWebhook[]; next: string | null } {
  assert.equal(answer.status, 200, answer.text)
  const { data, next } = answer.body
  assert.deepEqual(Object.keys(answer.body), ['data', 'next'])
  assert.ok(Array.isArray(data) && data.every(isWebhook), answer.text)
  assert.ok(next === null || typeof next === 'string', answer.text)
  return { data, next }
}

function isWebhook(value: unknown): value is ShownWebhook {
  if (typeof value !== 'object' || value === null) return false
  const names = ['id', 'url', 'clientId', 'status', 'createdAt', 'updatedAt']
  const fields = new Map<string, unknown>(Object.entries(value))
  return (
    names.every((name) => typeof fields.get(name) === 'string') &&
    ['events', 'secrets'].every((name) => isTexts(fields.get(name))) &&
    (!fields.has('facilities') || isTexts(fields.get('facilities')))
  )
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

export type Fault = { pointer: string; code: string; message: string }

/** A problem with everything that decision C2 wants in it. */
export function assertProblem(answer: Answer, status: number, code: string): void {
  const { headers, body, text } = answer
  assert.equal(answer.status, status, text)
  assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(body['status'], status)
  assert.equal(body['code'], code, text)
  assert.match(String(body['type']), new RegExp(`/docs/errors#${code}$`))
  for (const name of ['title', 'detail']) assert.match(String(body[name]), /\w/, name)
  if (!headers.has('idempotent-replayed')) assert.equal(body['requestId'], headers.get('x-request-id'))
}

/** 422, with exactly these fields at fault: `/url too_long`. */
export function assertFaults(answer: Answer, ...expected: string[]): Fault[] {
  assertProblem(answer, 422, 'wrong_fields')
  const faults = faultsIn(answer)
  assert.deepEqual(faults.map(({ pointer, code }) => `${pointer} ${code}`).toSorted(), expected.toSorted(), answer.text)
  for (const { message } of faults) assert.match(message, /\.$/)
  return faults
}

export function faultsIn({ body, text }: Answer): Fault[] {
  const { errors } = body
  assert.ok(Array.isArray(errors) && errors.every(isFault), text)
  return errors
}

function isFault(value: unknown): value is Fault {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map<string, unknown>(Object.entries(value))
  return fields.size === 3 && ['pointer', 'code', 'message'].every((name) => typeof fields.get(name) === 'string')
}

/** The answer to a request for something that is not there, without what differs from request to request. */
export function bodyWithoutRequestId({ body }: Answer): Record<string, unknown> {
  const { requestId: _, ...rest } = body
  return rest
}
