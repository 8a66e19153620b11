/** An OpenAPI document, read as what it is: JSON that says where to look on. */
export type Json = Record<string, unknown>

export type DescribedParameter = { name: string; place: string; schema: Json }

export type DescribedOperation = {
  id: string
  method: string
  /** With its names in braces: `/webhooks/{webhookId}`. */
  path: string
  parameters: DescribedParameter[]
  /** The schema and the examples of the body. */
  body: { schema: Json; examples: unknown[] } | null
  responses: Map<string, Json>
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member that is an object; an empty one when there is none. */
export function jsonAt(value: unknown, ...names: string[]): Json {
  const found = names.reduce<unknown>((inside, name) => (isJson(inside) ? inside[name] : undefined), value)
  return isJson(found) ? found : {}
}

/** What a `$ref` of the document points to; anything else is itself. */
export function followed(document: Json, value: unknown): Json {
  if (!isJson(value)) return {}
  const { $ref } = value
  return typeof $ref === 'string' ? followed(document, jsonAt(document, ...$ref.split('/').slice(1))) : value
}

export function operationsOf(document: Json): DescribedOperation[] {
  return Object.entries(jsonAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(jsonAt(methods)).map(([method, said]) => readOperation(document, path, method, jsonAt(said))),
  )
}

/** What we send: the `webhooks` of the document, as operations of the receiver. */
export function webhooksOf(document: Json): DescribedOperation[] {
  return Object.entries(jsonAt(document, 'webhooks')).map(([name, said]) =>
    readOperation(document, name, 'post', jsonAt(said, 'post')),
  )
}

function readOperation(document: Json, path: string, method: string, said: Json): DescribedOperation {
  const parameters = Array.isArray(said['parameters']) ? said['parameters'] : []
  const content = jsonAt(said, 'requestBody', 'content', 'application/json')
  return {
    id: String(said['operationId']),
    method: method.toUpperCase(),
    path,
    parameters: parameters.map((each) => ({
      name: String(each.name),
      place: String(each.in),
      schema: jsonAt(each, 'schema'),
    })),
    body: 'schema' in content ? { schema: jsonAt(content, 'schema'), examples: examplesIn(document, content) } : null,
    responses: new Map(
      Object.entries(jsonAt(said, 'responses')).map(([status, response]) => [status, followed(document, response)]),
    ),
  }
}

/** Every example of a media type, wherever it is written. */
export function examplesIn(document: Json, content: Json): unknown[] {
  const named = Object.values(jsonAt(content, 'examples')).map((each) => followed(document, each)['value'])
  return 'example' in content ? [content['example'], ...named] : named
}
