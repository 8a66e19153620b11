import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestFacts } from '../domain/requests/logged-request.ts'
import { isDatabaseAway } from '../platform/database-away.ts'

/** One wrong field of a request: where it stands (JSON pointer), which rule it breaks, and what to do. */
export type FieldProblem = { pointer: string; code: string; message: string }

/** What is for the log and the request log only, because it may say more than a stranger should know. */
export type Inside = {
  reason?: string
  facts?: RequestFacts
  /** Whose request it was, where the problem is made far from the request. */
  applicationId?: string | null
  /** And that there is such an application: what merely names one is easily made up. */
  applicationIsKnown?: boolean
}

/** What a door answers when it cannot do what was asked. `code` is stable; `title` and `detail` are for people. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldProblem[]
  readonly reason: string
  readonly facts: RequestFacts
  readonly applicationId: string | null
  readonly applicationIsKnown: boolean

  constructor(
    status: number,
    code: string,
    title: string,
    detail: string,
    more: Inside & { headers?: Record<string, string>; errors?: FieldProblem[] } = {},
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.headers = more.headers ?? {}
    this.errors = more.errors ?? []
    this.reason = more.reason ?? detail
    this.facts = more.facts ?? {}
    this.applicationId = more.applicationId ?? null
    this.applicationIsKnown = more.applicationIsKnown ?? false
  }
}

/** How a door tells of it. */
export type AnswerProblem = (problem: Problem, request: FastifyRequest, reply: FastifyReply) => unknown

/** RFC 9457, as decision C2 lays it out. */
export function problemJson(baseUrl: string, problem: Problem, requestId: string): Record<string, unknown> {
  return {
    type: `${baseUrl}/docs/errors#${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    requestId,
    ...(problem.errors.length > 0 ? { errors: problem.errors } : {}),
  }
}

export function sendProblem(
  baseUrl: string,
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  return reply
    .code(problem.status)
    .headers(problem.headers)
    .type('application/problem+json')
    .send(JSON.stringify(problemJson(baseUrl, problem, request.id)))
}

/** The bodies that a door takes, as it tells those who send others. */
export type TakenBodies = { type: string; most: string }

/** What Fastify throws, in our words; anything it does not know is a bug of ours and says nothing about itself. */
export function problemFrom(error: unknown, takes?: TakenBodies): Problem {
  if (error instanceof Problem) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(
        413,
        'body_too_large',
        'Body too large',
        `The request body is larger than ${takes?.most ?? 'this operation takes'}.`,
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        415,
        'unsupported_media_type',
        'Unsupported media type',
        `Send the body with ${takes ? `"Content-Type: ${takes.type}"` : 'the Content-Type that this operation takes'}.`,
      )
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem(400, 'malformed_json', 'Malformed JSON', 'The request body is not valid JSON.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return malformedBody()
    case 'FST_ERR_BAD_URL':
      return new Problem(
        400,
        'malformed_url',
        'Malformed URL',
        'The path of the request is not valid percent-encoding.',
      )
    // Longer than any name that is given to anything.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound()
    default:
      if (isDatabaseAway(error)) return unavailable()
      return isClientsFault(error)
        ? malformedRequest()
        : new Problem(
            500,
            'internal_error',
            'Something went wrong',
            'The service could not do this. Try again; if it stays, tell support the request id.',
          )
  }
}

/** A database that is started again or taken over is back within seconds. They differ, so that not everybody comes at once. */
const SHORTEST_WAIT_SECONDS = 2
const SPREAD_SECONDS = 4

/** Nothing is wrong with the request, and nothing with the service that lasts (decision record 93). */
export function unavailable(): Problem {
  return new Problem(
    503,
    'temporarily_unavailable',
    'Temporarily unavailable',
    'The service cannot do this at the moment. Try again after a pause.',
    { headers: { 'retry-after': String(Math.floor(SHORTEST_WAIT_SECONDS + Math.random() * SPREAD_SECONDS)) } },
  )
}

/** Whatever else Fastify finds wrong with a request, such as a QUERY without a Content-Type. */
function isClientsFault(error: unknown): boolean {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status >= 400 && status < 500
}

function malformedRequest(): Problem {
  return new Problem(
    400,
    'malformed_request',
    'Malformed request',
    'The request is not one that this service understands.',
  )
}

export function malformedBody(): Problem {
  return new Problem(
    400,
    'malformed_body',
    'Malformed body',
    'The request body does not have the length its Content-Length says.',
  )
}

export function notFound(): Problem {
  return new Problem(404, 'not_found', 'Not found', 'There is nothing at this address.')
}

export function methodNotAllowed(allowed: readonly string[]): Problem {
  const allow = allowed.join(', ')
  return new Problem(405, 'method_not_allowed', 'Method not allowed', `This address takes ${allow}.`, {
    headers: { allow },
  })
}
