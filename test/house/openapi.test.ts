import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openApiFiles } from '../../scripts/openapi-files.ts'
import { FACILITY_EVENTS, USER_EVENTS } from '../../src/domain/webhooks/event-names.ts'
import { publicApiDocument } from '../../src/public-api/openapi.ts'
import { examplesIn, isJson, type Json, jsonAt, operationsOf, webhooksOf } from '../harness/openapi-document.ts'
import { openApiJudge } from '../harness/openapi-judge.ts'

const root = join(import.meta.dirname, '../..')

for (const { path, text } of openApiFiles()) {
  describe(path, () => {
    const document = parsed(text)

    test('is what the code says; `npm run openapi` writes it', async () => {
      const kept = await readFile(join(root, path), 'utf8').catch(() => '')
      assert.ok(kept === text, `${path} is out of date: npm run openapi`)
    })

    test('follows every recommended rule of Redocly', async () => {
      assert.deepEqual(await lint(join(root, path)), [])
    })

    test('has examples that are valid against their schemas', () => {
      const judge = openApiJudge(document)
      const contents = [...operationsOf(document), ...webhooksOf(document)].flatMap(({ id, body, responses }) => [
        ...(body ? [{ id, ...body }] : []),
        ...[...responses].flatMap(([status, response]) =>
          Object.values(jsonAt(response, 'content')).flatMap((content) => ({
            id: `${id} ${status}`,
            schema: jsonAt(content, 'schema'),
            examples: examplesIn(document, jsonAt(content)),
          })),
        ),
      ])
      assert.ok(contents.length > 50)
      for (const { id, schema, examples } of contents)
        for (const example of examples) assert.deepEqual(judge.mismatches(schema, example), [], id)
    })

    test('names an example for every body', () => {
      for (const { id, body } of [...operationsOf(document), ...webhooksOf(document)])
        assert.ok(body === null || body.examples.length > 0, id)
    })
  })
}

test('every event of the contract is a webhook of the public API', () => {
  const events: string[] = [...FACILITY_EVENTS, ...USER_EVENTS]
  assert.equal(events.length, 14)
  assert.deepEqual(
    webhooksOf(parsed(JSON.stringify(publicApiDocument('https://api.example')))).map(({ path }) => path),
    events,
  )
})

test('a planted fault is found', async () => {
  const [file] = openApiFiles()
  const folder = await mkdtemp(join(tmpdir(), 'openapi-'))
  try {
    const planted = join(folder, 'planted.json')
    await writeFile(
      planted,
      file?.text.replace('"operationId": "createUserWebhook"', '"operationId": "createFacilityWebhook"') ?? '',
    )
    assert.deepEqual(await lint(planted), [
      'operation-operationId-unique: Every operation must have a unique `operationId`.',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('the judge of answers finds what is not documented', () => {
  const judge = openApiJudge(parsed(openApiFiles()[0]?.text ?? ''))
  const path = '/api/v2/public/webhooks/user/whk_1'
  const good = {
    method: 'GET',
    path,
    status: 404,
    headers: new Headers({ 'content-type': 'application/problem+json; charset=utf-8', 'x-request-id': 'r' }),
    text: JSON.stringify({
      type: 'https://api.example/docs/errors#not_found',
      title: 'Not found',
      status: 404,
      detail: 'There is no such webhook.',
      code: 'not_found',
      requestId: 'r',
    }),
  }
  const json = new Headers({ 'content-type': 'application/json', 'x-request-id': 'r', etag: '"1"' })
  const cases: Array<[title: string, changed: Partial<typeof good>, ...faults: RegExp[]]> = [
    ['nothing', {}],
    ['a path', { path: '/api/v2/public/webhooks/other' }, /other is not documented$/],
    ['a path without its name', { path: '/api/v2/public/webhooks/user/' }, /is not documented$/],
    ['a method', { method: 'PUT' }, /^PUT .* is not documented$/],
    ['a status', { status: 418 }, /^getUserWebhook does not document 418$/],
    [
      'a missing header',
      { headers: new Headers({ 'content-type': 'application/problem+json' }) },
      /X-Request-Id is missing/,
    ],
    [
      'a wrong header',
      { headers: new Headers([...good.headers, ['x-ratelimit-limit', 'x']]) },
      /^the header X-RateLimit-Limit/,
    ],
    ['a Content-Type', { headers: json }, /^the Content-Type application\/json is not documented$/],
    ['a code', { text: good.text.replace('not_found","requestId', 'gone","requestId') }, /^\/code /],
    ['a field', { text: good.text.replace('"detail"', '"detale"') }, /required/],
    ['a body', { status: 200, headers: json, text: '{"data":{}}' }, /^\/data must have required/],
    ['a body where there is none', { method: 'DELETE', status: 204 }, /^a body, though none is documented$/],
  ]
  for (const [title, changed, ...faults] of cases) {
    test(title, () => {
      const found = judge.faultsOf({ ...good, ...changed })
      assert.equal(found.length, faults.length, found.join('\n'))
      for (const [position, fault] of faults.entries()) assert.match(found[position] ?? '', fault)
    })
  }
})

/** One line for each error and warning. Nothing is sent to Redocly and nothing is asked of them. */
async function lint(file: string): Promise<string[]> {
  const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const said = await new Promise<string>((resolve) => {
    const args = [cli, 'lint', file, '--extends', 'recommended', '--format', 'json', '--max-problems', '1000']
    // In a folder of its own, so that no redocly.yaml is found on the way up.
    execFile(process.execPath, args, { env, cwd: tmpdir(), maxBuffer: 1e8 }, (_, out) => resolve(out))
  })
  const { problems } = parsed(said)
  assert.ok(Array.isArray(problems), said)
  return problems.map((each: unknown) => `${String(jsonAt(each)['ruleId'])}: ${String(jsonAt(each)['message'])}`)
}

function parsed(text: string): Json {
  const value: unknown = JSON.parse(text)
  assert.ok(isJson(value))
  return value
}
