import type { TSchema } from 'typebox'
import type { Documentation, Parameter } from './operation.ts'

/** What a door's OpenAPI file says beside its operations. */
export type ApiDescription = {
  title: string
  version: string
  description: string
  server: string
  prefix: string
  tags: Record<string, string>
  security: { name: string; scheme: object }
  /** Problems that every operation can answer. */
  problems: readonly number[]
  operations: readonly Documentation[]
  /** What we send, for doors that have receivers. */
  webhooks?: Record<string, object>
  /** Schemas that have a name: wherever one stands, a reference is written. */
  schemas: Record<string, TSchema>
}

const ANSWER_HEADERS: Record<string, Parameter['description']> = {
  Location: 'The address of what was created.',
  ETag: 'The version of the webhook, for If-Match.',
  'Idempotent-Replayed': '`true` when this is the kept answer to an earlier request with the same Idempotency-Key.',
  'Retry-After': 'After how many seconds to try again.',
  'WWW-Authenticate': 'How to authenticate, and what was wrong (RFC 6750).',
  'X-RateLimit-Limit': 'How many requests may come at once after a pause.',
  'X-RateLimit-Remaining': 'How many may come now.',
  'X-RateLimit-Reset': 'When all of them may come again, in seconds since 1970.',
}

const RATE_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const PROBLEMS: Record<number, { title: string; code: string; headers?: string[] }> = {
  400: { title: 'The body is not JSON, or the URL is malformed', code: 'malformed_json' },
  401: { title: 'Who calls is not known', code: 'invalid_token', headers: ['WWW-Authenticate'] },
  403: { title: 'Who calls may not do this', code: 'insufficient_scope', headers: RATE_HEADERS },
  404: { title: 'There is no such thing, or it is not yours', code: 'not_found', headers: RATE_HEADERS },
  409: { title: 'It cannot be done as things stand', code: 'conflict', headers: RATE_HEADERS },
  412: {
    title: 'It has changed since the version that If-Match names',
    code: 'version_changed',
    headers: RATE_HEADERS,
  },
  413: { title: 'The body is too large', code: 'body_too_large', headers: RATE_HEADERS },
  415: { title: 'The body is not application/json', code: 'unsupported_media_type', headers: RATE_HEADERS },
  422: { title: 'Fields are wrong; `errors` names each', code: 'wrong_fields', headers: RATE_HEADERS },
  429: { title: 'Too many requests', code: 'too_many_requests', headers: [...RATE_HEADERS, 'Retry-After'] },
  500: { title: 'A fault of ours; tell support the request id', code: 'internal_error' },
}

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457. `code` is stable; `title` and `detail` are for people.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer to the wrong field; `/query/…` for a query parameter.',
          },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
}

export function openApiDocument(api: ApiDescription): object {
  const names = new Map(Object.entries(api.schemas).map(([name, schema]) => [schema, name]))
  const refer = (schema: TSchema) => referring(schema, names)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of api.operations) {
    const path = api.prefix + operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(api, operation, refer) }
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
      headers: Object.fromEntries(
        Object.entries(ANSWER_HEADERS).map(([name, description]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      responses: Object.fromEntries(Object.keys(PROBLEMS).map((status) => [`Problem${status}`, problemAnswer(status)])),
    },
  }
}

function describe(api: ApiDescription, operation: Documentation, refer: (schema: TSchema) => unknown): object {
  const { id, tag, summary, description, body, answers } = operation
  const problems = [...new Set([...api.problems, ...operation.problems])].toSorted((one, other) => one - other)
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
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.optional !== true,
        content: { 'application/json': { schema: refer(body.schema), example: body.example } },
      },
    }),
    responses: Object.fromEntries([
      ...Object.entries(answers).map(([status, answer]) => [
        status,
        {
          description: answer.description,
          headers: headerReferences([...(answer.headers ?? []), ...RATE_HEADERS]),
          ...(answer.schema && {
            content: { 'application/json': { schema: refer(answer.schema), example: answer.example } },
          }),
        },
      ]),
      ...problems.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
    ]),
  }
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

function headerReferences(names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function problemAnswer(status: string): object {
  const { title, code, headers = [] } = PROBLEMS[Number(status)] ?? { title: '', code: '' }
  const example = {
    type: `https://handover.example/docs/errors#${code}`,
    title,
    status: Number(status),
    detail: `${title}.`,
    code,
    requestId: '0198a6c2d1f07c3e',
    ...(status === '422' && {
      errors: [{ pointer: '/events/0', code: 'unknown_value', message: 'must be one of: shift.created, all.' }],
    }),
  }
  return {
    description: title,
    headers: headerReferences(headers),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  }
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
