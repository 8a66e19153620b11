type AnswerHeader = { description: string; required?: boolean; schema: object }

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

/** Headers that answers have. `required` is what comes wherever it is listed. */
const ANSWER_HEADERS: Record<string, AnswerHeader> = {
  Location: {
    description: 'The address of what was created.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  ETag: {
    description: 'The version of the webhook, for If-Match.',
    required: true,
    schema: { type: 'string', pattern: '^"[^"]+"$' },
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the kept answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'After how many seconds to try again.', required: true, schema: count },
  'WWW-Authenticate': {
    description: 'How to authenticate, and what was wrong (RFC 6750).',
    required: true,
    schema: text,
  },
  'X-RateLimit-Limit': { description: 'How many requests may come at once after a pause.', schema: count },
  'X-RateLimit-Remaining': { description: 'How many may come now.', schema: count },
  'X-RateLimit-Reset': { description: 'When all of them may come again, in seconds since 1970.', schema: count },
  'X-Request-Id': { description: 'What to tell support when something went wrong.', required: true, schema: text },
}

export const REQUEST_ID = 'X-Request-Id'
export const RATE_HEADERS: readonly string[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const HEADERS_OF_PROBLEMS: Record<number, readonly string[]> = {
  401: ['WWW-Authenticate'],
  412: ['ETag'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** Answered before it is known whose rate limit it would be. */
const BEFORE_THE_LIMIT: readonly number[] = [400, 401, 500, 503]

export function headersOfProblem(status: number, rateHeaders: readonly string[]): string[] {
  const rate = BEFORE_THE_LIMIT.includes(status) ? [] : rateHeaders
  return [...(HEADERS_OF_PROBLEMS[status] ?? []), ...rate, REQUEST_ID]
}

export function headerReferences(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The components that are referred to, in one order whoever refers. */
export function headerComponents(used: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(ANSWER_HEADERS).filter(([name]) => used.has(name)))
}
