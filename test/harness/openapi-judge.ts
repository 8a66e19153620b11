import { Compile } from 'typebox/schema'
import { type DescribedOperation, followed, type Json, jsonAt, operationsOf } from './openapi-document.ts'

/** An answer as it came; `path` is without the query. */
export type Heard = { method: string; path: string; status: number; headers: Headers; text: string }

/** What is not as the document says; nothing when all is. */
export type OpenApiJudge = {
  faultsOf: (heard: Heard) => string[]
  /** Of a value against a schema of the document. */
  mismatches: (schema: Json, value: unknown) => string[]
}

export function openApiJudge(document: Json): OpenApiJudge {
  const operations = operationsOf(document)
  const compiled = new Map<Json, ReturnType<typeof compile>>()
  const compile = (schema: Json) => Compile({ ...schema, components: document['components'] })

  function mismatches(schema: Json, value: unknown): string[] {
    const validator = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validator)
    const [, errors] = validator.Errors(value)
    return errors.map(({ instancePath, message }) => `${instancePath || 'the body'} ${message}`)
  }

  function headerFaults(response: Json, headers: Headers): string[] {
    return Object.entries(jsonAt(response, 'headers')).flatMap(([name, said]) => {
      const { required, schema } = followed(document, said)
      const value = headers.get(name)
      if (value === null) return required === true ? [`the header ${name} is missing`] : []
      const read = jsonAt(schema)['type'] === 'integer' ? Number(value) : value
      return mismatches(jsonAt(schema), read).map((fault) => `the header ${name}: ${fault}`)
    })
  }

  function bodyFaults(response: Json, { headers, text }: Heard): string[] {
    const content = jsonAt(response, 'content')
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    if (Object.keys(content).length === 0) return text === '' ? [] : ['a body, though none is documented']
    if (!(type in content)) return [`the Content-Type ${type || 'is missing'} is not documented`]
    return mismatches(jsonAt(content, type, 'schema'), type.endsWith('json') ? JSON.parse(text) : text)
  }

  return {
    mismatches,
    faultsOf: (heard) => {
      const operation = operationAt(operations, heard)
      if (operation === undefined) return [`${heard.method} ${heard.path} is not documented`]
      const response = operation.responses.get(String(heard.status))
      if (response === undefined) return [`${operation.id} does not document ${heard.status}`]
      return [...headerFaults(response, heard.headers), ...bodyFaults(response, heard)]
    },
  }
}

/** A path that is written out comes before one with names in braces (OpenAPI 3.1, Paths Object). */
function operationAt(
  operations: readonly DescribedOperation[],
  { method, path }: Pick<Heard, 'method' | 'path'>,
): DescribedOperation | undefined {
  const asked = path.split('/')
  const fits = operations.filter((each) => {
    const parts = each.path.split('/')
    return parts.length === asked.length && parts.every((part, place) => fitsPart(part, asked[place] ?? ''))
  })
  const written = fits.filter((each) => each.path === path)
  return (written.length > 0 ? written : fits).find((each) => each.method === method)
}

function fitsPart(part: string, asked: string): boolean {
  return /^\{\w+\}$/.test(part) ? asked !== '' : part === asked
}
