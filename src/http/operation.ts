import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { EVENT_STREAM_HEADERS } from './event-stream.ts'
import { parseForm } from './form.ts'
import type { JsonBody } from './json-body.ts'
import { type FieldProblem, notFound, Problem } from './problem.ts'
import { queryOf } from './query.ts'
import { fieldReader, wrongFields } from './read-fields.ts'

/** What an operation says of itself. The OpenAPI file is written from it, so that it cannot say anything else. */
export type Documentation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Under the door's prefix, as the router writes it: `/webhooks/facility/:webhookId`. */
  path: string
  id: string
  tag: string
  summary: string
  description: string
  /** What the names in the path mean. */
  parameters?: Record<string, Parameter>
  query?: Record<string, Parameter>
  headers?: Record<string, Parameter>
  body?: { schema: TSchema; example: unknown; optional?: boolean }
  /** JSON, unless an answer says otherwise. */
  answers: Record<
    number,
    { description: string; schema?: TSchema; example?: unknown; headers?: readonly string[]; mediaType?: string }
  >
  /** Problems beyond those that every operation of the door can answer: codes, or a status whose codes are left open. */
  problems: ReadonlyArray<number | string>
}

/** What the router has to know of an operation; enough for one that no OpenAPI file tells of. */
export type OperationShape = Pick<Documentation, 'method' | 'path' | 'query' | 'body'>

/** `fault` is for the query: what is wrong with a value, as code and message. */
export type Parameter = {
  description: string
  schema: TSchema
  fault?: (value: string) => Pick<FieldProblem, 'code' | 'message'> | null
}

/** A request as an operation sees it: parsed, and made by somebody who may make it. */
export type Call = {
  parameters: Record<string, string>
  query: Record<string, string>
  body: JsonBody | undefined
  headers: FastifyRequest['headers']
}

/** `body` is left out for 204, or where there is a stream of events. Headers come in addition to those of the door. */
export type Answer = { status: number; body?: unknown; stream?: Readable; headers?: Record<string, string> }

export type Operation<Made extends Call> = Documentation & { run: (call: Made) => Promise<Answer> }

/** How a door receives the callers of an operation: who they are, before the body is read; and then what it does for them. */
export type Reception = {
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  answer: (call: Call, request: FastifyRequest) => Promise<Answer>
}

export function hangOperation(app: FastifyInstance, operation: OperationShape, { admit, answer }: Reception): void {
  app.route<{ Params: Record<string, string>; Body: JsonBody | undefined }>({
    method: operation.method,
    url: operation.path,
    exposeHeadRoute: false,
    onRequest: (request, reply) => admit(request, reply),
    handler: async (request, reply) => {
      const call: Call = {
        parameters: pathParameters(request.params),
        query: queryFields(request, operation),
        body: takenBody(request.body, operation),
        headers: request.headers,
      }
      return sendAnswer(reply, await answer(call, request))
    },
  })
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
/** Answers carry secrets (decision C1). */
const NEVER_STORED = { 'cache-control': 'no-store' }

function sendAnswer(reply: FastifyReply, { status, body, stream, headers = {} }: Answer): FastifyReply {
  reply.code(status)
  if (stream !== undefined) return reply.headers({ ...EVENT_STREAM_HEADERS, ...headers, ...NEVER_STORED }).send(stream)
  if (body === undefined) return reply.headers({ ...headers, ...NEVER_STORED }).send()
  return reply.headers({ ...JSON_TYPE, ...headers, ...NEVER_STORED }).send(JSON.stringify(body))
}

/** The body's value, for operations that cannot do without one. */
export function requiredBody({ body }: Call): unknown {
  if (body !== undefined) return body.value
  throw new Problem(400, 'malformed_json', 'Malformed JSON', 'Send a JSON body with "Content-Type: application/json".')
}

/** A NUL can be written in a path, yet it is in no name that is stored: PostgreSQL would refuse to look for it. */
function pathParameters(parameters: Record<string, string>): Record<string, string> {
  if (Object.values(parameters).some((value) => value.includes('\0'))) throw notFound()
  return parameters
}

const readNothing = fieldReader<object>(Type.Object({}, { additionalProperties: false }))

/** Where no body is taken, no field is: what somebody wishes for in vain must not be silent (decision C10). */
function takenBody(body: JsonBody | undefined, operation: OperationShape): JsonBody | undefined {
  if (operation.body !== undefined || body === undefined) return body
  const { faults } = readNothing(body.value)
  if (faults.length > 0) throw wrongFields(faults)
  return undefined
}

/** A misspelt parameter must not be silent, as a field must not (decision C10); all that is wrong is told at once. */
function queryFields(request: FastifyRequest, { query = {} }: OperationShape): Record<string, string> {
  const parsed = parseForm(queryOf(request))
  if (parsed.kind === 'malformed')
    throw new Problem(400, 'malformed_url', 'Malformed URL', 'The query of the request is not valid percent-encoding.')
  const { form, repeated } = parsed
  const known = Object.keys(query)
  const takes = known.length > 0 ? `It takes: ${known.join(', ')}.` : 'It takes none.'
  const unknown = form.names().filter((name) => !known.includes(name))
  const given = known.flatMap((name): Array<[string, string]> => (form.has(name) ? [[name, form.get(name) ?? '']] : []))
  const faults = [
    ...unknown.map((name) => queryFault(name, 'unknown_parameter', `is not a parameter of this operation. ${takes}`)),
    ...repeated.map((name) => queryFault(name, 'duplicate', 'is there twice.')),
    ...given.flatMap(([name, value]) => {
      const found = repeated.includes(name) ? null : query[name]?.fault?.(value)
      return found ? [queryFault(name, found.code, found.message)] : []
    }),
  ]
  if (faults.length > 0) throw wrongFields(faults)
  return Object.fromEntries(given)
}

/** A query has no JSON pointer of its own, so it is pointed at as if it were an object named `query`. */
function queryFault(name: string, code: string, message: string): FieldProblem {
  return { pointer: `/query/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, code, message }
}
