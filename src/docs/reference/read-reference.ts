import { followed, isJson, type Json, jsonAt, listAt, textAt } from './json.ts'

/** An API as it is shown: its operations in groups, what it sends, and what its schemas are called. */
export type Reference = {
  description: string
  /** What any of the operations may answer. */
  problems: Problem[]
  groups: Group[]
  schemas: Array<{ name: string; schema: Json }>
}

export type Group = { name: string; description: string; operations: ApiOperation[]; events: ApiOperation[] }

export type ApiOperation = {
  id: string
  method: string
  /** With its names in braces; of an event, its name. */
  path: string
  summary: string
  description: string
  scopes: string[]
  parameters: ApiParameter[]
  body: { schema: Json; example: unknown; required: boolean } | null
  answers: ApiAnswer[]
  problems: Problem[]
}

export type ApiParameter = { name: string; place: string; required: boolean; description: string; schema: Json }

export type Problem = { status: string; code: string }

export type ApiAnswer = { status: string; description: string; schema: Json | null; example: unknown }

export function readReference(document: object): Reference {
  const api: Json = { ...document }
  const all = [
    ...operationsIn(api, 'paths').map((each) => ({ ...each, isEvent: false })),
    ...operationsIn(api, 'webhooks').map((each) => ({ ...each, isEvent: true })),
  ]
  return {
    description: textAt(jsonAt(api, 'info'), 'description'),
    problems: sharedProblems(all.flatMap(({ isEvent, operation }) => (isEvent ? [] : [operation]))),
    groups: listAt(api, 'tags')
      .filter(isJson)
      .map((tag) => {
        const mine = all.filter(({ group }) => group === tag['name'])
        return {
          name: textAt(tag, 'name'),
          description: textAt(tag, 'description'),
          operations: mine.filter(({ isEvent }) => !isEvent).map(({ operation }) => operation),
          events: mine.filter(({ isEvent }) => isEvent).map(({ operation }) => operation),
        }
      }),
    schemas: Object.entries(jsonAt(api, 'components', 'schemas')).map(([name, schema]) => ({
      name,
      schema: jsonAt(schema),
    })),
  }
}

function operationsIn(api: Json, part: 'paths' | 'webhooks'): Array<{ group: unknown; operation: ApiOperation }> {
  return Object.entries(jsonAt(api, part)).flatMap(([path, methods]) =>
    Object.entries(jsonAt(methods)).map(([method, said]) => {
      const operation = jsonAt(said)
      return { group: listAt(operation, 'tags')[0], operation: readOperation(api, path, method, operation) }
    }),
  )
}

function readOperation(api: Json, path: string, method: string, said: Json): ApiOperation {
  const body = jsonAt(said, 'requestBody')
  const content = jsonAt(body, 'content', 'application/json')
  return {
    id: textAt(said, 'operationId'),
    method: method.toUpperCase(),
    path,
    summary: textAt(said, 'summary'),
    description: textAt(said, 'description'),
    scopes: listAt(said, 'security')
      .filter(isJson)
      .flatMap((each) => Object.values(each).flat())
      .map(String),
    parameters: listAt(said, 'parameters').filter(isJson).map(readParameter),
    body:
      'schema' in content
        ? {
            schema: jsonAt(content, 'schema'),
            example: firstExample(api, content),
            required: body['required'] === true,
          }
        : null,
    ...readAnswers(api, jsonAt(said, 'responses')),
  }
}

function readParameter(said: Json): ApiParameter {
  return {
    name: textAt(said, 'name'),
    place: textAt(said, 'in'),
    required: said['required'] === true,
    description: textAt(said, 'description'),
    schema: jsonAt(said, 'schema'),
  }
}

function readAnswers(api: Json, responses: Json): { answers: ApiAnswer[]; problems: Problem[] } {
  const answers: ApiAnswer[] = []
  const problems: Problem[] = []
  for (const [status, said] of Object.entries(responses)) {
    const answer = followed(api, said)
    const [type, first] = Object.entries(jsonAt(answer, 'content'))[0] ?? []
    const content = jsonAt(first)
    if (type === 'application/problem+json')
      problems.push(...Object.keys(jsonAt(content, 'examples')).map((code) => ({ status, code })))
    else
      answers.push({
        status,
        description: textAt(answer, 'description'),
        schema: 'schema' in content ? jsonAt(content, 'schema') : null,
        example: firstExample(api, content),
      })
  }
  return { answers, problems }
}

function sharedProblems([first, ...others]: readonly ApiOperation[]): Problem[] {
  const isShared = ({ code }: Problem) => others.every(({ problems }) => problems.some((each) => each.code === code))
  return first?.problems.filter(isShared) ?? []
}

function firstExample(api: Json, content: Json): unknown {
  if ('example' in content) return content['example']
  return followed(api, Object.values(jsonAt(content, 'examples'))[0])['value']
}
