import type { TSchema } from 'typebox'
import { headerComponents, headerReferences, headersOfProblem, RATE_HEADERS, REQUEST_ID } from './openapi-headers.ts'
import {
  PROBLEM_SCHEMA,
  type ProblemsByStatus,
  type ProblemVocabulary,
  problemExamples,
  problemResponse,
  problemsByStatus,
} from './openapi-problems.ts'
import type { Documentation, Parameter } from './operation.ts'
import type { ProblemMeaning } from './problem-codes.ts'

/** What a door's OpenAPI file says beside its operations. */
export type ApiDescription = {
  title: string
  version: string
  description: string
  server: string
  prefix: string
  tags: Record<string, string>
  /** `scopes` says what an operation asks of a token, for schemes that know scopes. */
  security: { name: string; scheme: object; scopes?: (operation: Documentation) => string[] }
  /** Problems that every operation can answer, beside what the threshold does. */
  problems: Documentation['problems']
  /** What the door's own codes mean. */
  meanings?: Record<string, ProblemMeaning>
  operations: readonly Documentation[]
  /** What we send, for doors that have receivers. */
  webhooks?: Record<string, object>
  /** Schemas that have a name: wherever one stands, a reference is written. */
  schemas: Record<string, TSchema>
  /** Whether every answer tells what is left of a rate limit; so it is unless a door says otherwise. */
  rateLimited?: boolean
}

/** One for each status with the same codes: `Problem403`, and where operations differ `Problem409A`, `Problem409B`. */
type NamedResponse = { name: string; status: number; codes: string[] | null }

/** What is worked out once for all operations. */
type Writing = {
  api: ApiDescription
  refer: (schema: TSchema) => unknown
  rateHeaders: readonly string[]
  problemsOf: (operation: Documentation) => ProblemsByStatus
  responses: readonly NamedResponse[]
  vocabulary: ProblemVocabulary
}

export function openApiDocument(api: ApiDescription): object {
  const names = new Map(Object.entries(api.schemas).map(([name, schema]) => [schema, name]))
  const writing = prepare(api, names)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of api.operations) {
    const path = api.prefix + operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(writing, operation) }
  }
  const schemas = Object.entries(api.schemas).map(([name, schema]) => [name, insides(schema, names)])
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: api.server }],
    security: [{ [api.security.name]: [] }],
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    paths,
    ...(api.webhooks && { webhooks: api.webhooks }),
    components: {
      securitySchemes: { [api.security.name]: api.security.scheme },
      schemas: { ...Object.fromEntries(schemas), Problem: PROBLEM_SCHEMA },
      headers: headerComponents(headersIn(writing)),
      responses: Object.fromEntries(
        writing.responses.map(({ name, status, codes }) => [name, problemResponse(status, codes, writing.vocabulary)]),
      ),
      examples: problemExamples(api.operations.map(writing.problemsOf), writing.vocabulary),
    },
  }
}

function prepare(api: ApiDescription, names: ReadonlyMap<unknown, string>): Writing {
  const { rateLimited = true, meanings = {}, server, operations } = api
  const rateHeaders = rateLimited ? RATE_HEADERS : []
  const problemsOf = (operation: Documentation) => problemsByStatus(operation, api.problems, meanings)
  const refer = (schema: TSchema) => referring(schema, names)
  const vocabulary = { meanings, server, rateHeaders }
  return { api, refer, rateHeaders, problemsOf, responses: namedResponses(operations.map(problemsOf)), vocabulary }
}

function namedResponses(all: readonly ProblemsByStatus[]): NamedResponse[] {
  const ways = new Map<number, Map<string, string[] | null>>()
  for (const [status, codes] of all.flatMap((problems) => [...problems])) {
    const known = ways.get(status) ?? new Map<string, string[] | null>()
    ways.set(status, known.set(String(codes), codes))
  }
  return [...ways]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([status, known]) =>
      [...known.values()].map((codes, position) => ({
        name: `Problem${status}${known.size === 1 ? '' : String.fromCharCode(65 + position)}`,
        status,
        codes,
      })),
    )
}

function responseOf(responses: readonly NamedResponse[], status: number, codes: string[] | null): object {
  const named = responses.find((each) => each.status === status && String(each.codes) === String(codes))
  return { $ref: `#/components/responses/${named?.name}` }
}

function headersIn({ api, rateHeaders, problemsOf }: Writing): Set<string> {
  return new Set(
    api.operations.flatMap((operation) => [
      ...Object.values(operation.answers).flatMap(({ headers = [] }) => [...headers, ...rateHeaders, REQUEST_ID]),
      ...[...problemsOf(operation).keys()].flatMap((status) => headersOfProblem(status, rateHeaders)),
    ]),
  )
}

function describe(writing: Writing, operation: Documentation): object {
  const { api, refer } = writing
  const { id, tag, summary, description, body } = operation
  const scopes = api.security.scopes?.(operation)
  const parameters = [
    ...inPlace('path', operation.parameters, true),
    ...inPlace('query', operation.query, false),
    ...inPlace('header', operation.headers, false),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(scopes && { security: [{ [api.security.name]: scopes }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: { 'application/json': { schema: refer(body.schema), example: body.example } },
      },
    }),
    responses: responsesOf(writing, operation),
  }
}

function responsesOf({ refer, rateHeaders, problemsOf, responses }: Writing, operation: Documentation): object {
  const answers = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    {
      description: answer.description,
      headers: headerReferences([...(answer.headers ?? []), ...rateHeaders, REQUEST_ID]),
      ...(answer.schema && {
        content: {
          [answer.mediaType ?? 'application/json']: { schema: refer(answer.schema), example: answer.example },
        },
      }),
    },
  ])
  const problems = [...problemsOf(operation)].map(([status, codes]) => [status, responseOf(responses, status, codes)])
  return Object.fromEntries([...answers, ...problems])
}

function inPlace(place: string, parameters: Record<string, Parameter> = {}, required: boolean): object[] {
  return Object.entries(parameters).map(([name, { description, schema }]) => ({
    name,
    in: place,
    required,
    description,
    schema,
  }))
}

function referring(schema: unknown, names: ReadonlyMap<unknown, string>): unknown {
  const name = names.get(schema)
  return name === undefined ? insides(schema, names) : { $ref: `#/components/schemas/${name}` }
}

function insides(schema: unknown, names: ReadonlyMap<unknown, string>): unknown {
  if (Array.isArray(schema)) return schema.map((each) => referring(each, names))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, referring(value, names)]))
}
