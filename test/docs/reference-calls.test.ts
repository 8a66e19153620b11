import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { openApiFiles } from '../../scripts/openapi-files.ts'
import { curlSample, shellName } from '../../src/docs/reference/curl.ts'
import { readReference } from '../../src/docs/reference/read-reference.ts'
import { shellMissing } from '../harness/snippets.ts'

// The calls that the reference shows are made from the OpenAPI documents. A shell takes them apart, with a curl that only says
// what it was given: the address, the token and the body are what the document says.

const BASE = 'https://api.example'
const END = '\u0001'

suite('the calls of the reference', { skip: shellMissing }, () => {
  for (const { path, text } of openApiFiles()) {
    test(`${path}: every operation can be pasted`, async () => {
      const document: object = JSON.parse(text)
      const operations = readReference(document).groups.flatMap((group) => group.operations)
      assert.ok(operations.length > 10)
      const names = new Set(
        operations.flatMap((each) => [...each.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)),
      )
      const script = [
        'set -eu',
        `BASE_URL=${BASE} KEY=secret`,
        ...[...names].map((name) => `${shellName(name)}=the-${name}`),
        `curl() { printf '%s${END}' "$@"; echo; }`,
        ...operations.map((operation) => curlSample(operation, 'KEY')),
      ]
      const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')])
      const calls = stdout.trimEnd().split(`${END}\n`)
      assert.equal(calls.length, operations.length)
      for (const [position, { id, method, path: template, body }] of operations.entries()) {
        const given = calls[position]?.replace(END + END, END).split(END) ?? []
        const after = (option: string) => given[given.indexOf(option) + 1]
        const asked = given.includes('-X') ? after('-X') : given.includes('-d') ? 'POST' : 'GET'
        assert.equal(asked, method, id)
        assert.ok(given.includes('Authorization: Bearer secret'), id)
        assert.ok(given.includes(BASE + template.replaceAll(/\{(\w+)\}/g, 'the-$1')), `${id}: ${given.join(' ')}`)
        if (body === null) assert.ok(!given.includes('-d'), id)
        else assert.deepEqual(JSON.parse(after('-d') ?? ''), body.example, id)
      }
    })
  }
})
