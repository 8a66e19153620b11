import assert from 'node:assert/strict'

/** What came back, read to the end. `body` is empty when it was not a JSON object. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return toAnswer(response.status, response.headers, await response.text())
}

export function toAnswer(status: number, headers: Headers, text: string): Answer {
  return { status, headers, text, body: jsonObject(text) }
}

export type Fields = Record<string, string | null | undefined>

/** POSTs a form; fields that are null are left out. */
export function postForm(url: string, fields: Fields, headers: Record<string, string> = {}): Promise<Answer> {
  return ask(url, { method: 'POST', body: formOf(fields), headers })
}

export function formOf(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]): Array<[string, string]> => (value == null ? [] : [[name, value]])),
  )
}

/** A member that must be there and be a string. */
export function textOf(answer: Answer, name: string): string {
  const value = answer.body[name]
  assert.ok(typeof value === 'string', `${name} is missing in ${answer.status} ${answer.text}`)
  return value
}

export function assertError(answer: Answer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body['error'], error, answer.text)
  assert.equal(typeof answer.body['error_description'], 'string')
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('pragma'), 'no-cache')
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  } catch {
    return {}
  }
}
