import { headerReferences, headersOfProblem } from './openapi-headers.ts'
import type { Documentation } from './operation.ts'
import { type ProblemMeaning, THRESHOLD_PROBLEMS, thresholdProblems } from './problem-codes.ts'

/** The codes of an operation by status. A status that is named by its number alone leaves its codes open: null. */
export type ProblemsByStatus = Map<number, string[] | null>

export type ProblemVocabulary = {
  meanings: Record<string, ProblemMeaning>
  /** Where `type` points to. */
  server: string
  rateHeaders: readonly string[]
}

/** What an operation can answer: what its door can, what any request can, and what it says itself. */
export function problemsByStatus(
  operation: Pick<Documentation, 'method' | 'parameters' | 'problems'>,
  ofDoor: Documentation['problems'],
  meanings: Record<string, ProblemMeaning>,
): ProblemsByStatus {
  const named = new Set([...ofDoor, ...thresholdProblems(operation), ...operation.problems])
  const found: ProblemsByStatus = new Map()
  for (const name of named) {
    if (typeof name === 'number') found.set(name, null)
    else {
      const { status } = meaningOf(name, meanings)
      const codes = found.get(status)
      if (codes !== null) found.set(status, [...(codes ?? []), name])
    }
  }
  return new Map(
    [...found]
      .map(([status, codes]): [number, string[] | null] => [status, codes?.toSorted() ?? null])
      .toSorted(([one], [other]) => one - other),
  )
}

function meaningOf(code: string, meanings: Record<string, ProblemMeaning>): ProblemMeaning {
  const meaning = meanings[code] ?? THRESHOLD_PROBLEMS[code]
  if (meaning === undefined) throw new Error(`The problem ${code} is answered, but nothing says what it means`)
  return meaning
}

const OPEN_STATUSES: Record<number, string> = {
  400: 'The request is malformed.',
  401: 'Who calls is not known.',
  403: 'Who calls may not do this.',
  404: 'There is no such thing.',
  409: 'It cannot be done as things stand.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  422: 'Fields are wrong; `errors` names each of them.',
  500: 'A fault of ours.',
}

/** One response for a status: every code that can come, each with its meaning and an example. */
export function problemResponse(status: number, codes: string[] | null, vocabulary: ProblemVocabulary): object {
  const { meanings, rateHeaders } = vocabulary
  const problem = { $ref: '#/components/schemas/Problem' }
  const content =
    codes === null
      ? { schema: problem }
      : {
          schema: { allOf: [problem, { properties: { status: { const: status }, code: { enum: codes } } }] },
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        }
  return {
    description:
      codes?.map((code) => `\`${code}\`: ${meaningOf(code, meanings).means}`).join('\n\n') ??
      OPEN_STATUSES[status] ??
      `Status ${status}.`,
    headers: headerReferences(headersOfProblem(status, rateHeaders)),
    content: { 'application/problem+json': content },
  }
}

/** One example for each code that somebody answers. */
export function problemExamples(all: readonly ProblemsByStatus[], vocabulary: ProblemVocabulary): object {
  const codes = new Set(all.flatMap((problems) => [...problems.values()].flatMap((each) => each ?? [])))
  return Object.fromEntries([...codes].map((code) => [code, { value: exampleOf(code, vocabulary) }]))
}

function exampleOf(code: string, { meanings, server }: ProblemVocabulary): object {
  const { status, title, means } = meaningOf(code, meanings)
  return {
    type: `${server}/docs/errors#${code}`,
    title,
    status,
    detail: means,
    code,
    requestId: 'req_0198a6c2d1f07c3e9a41b7d2e5f60717',
    ...(status === 422 && {
      errors: [{ pointer: '/url', code: 'required', message: 'is required.' }],
    }),
  }
}

export const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457. `code` is stable; `title` and `detail` are for people.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Where the code is explained.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    requestId: { type: 'string', description: 'What to tell support.' },
    errors: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: {
            type: 'string',
            format: 'json-pointer',
            description:
              'JSON pointer to the field of the body that is wrong or missing; `/query/…` for a query parameter, `/path/…` for a name in the path.',
          },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
}
