import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainSignature, type Pasted } from '../../src/domain/deliveries/explain-signature.ts'
import { closestUri } from '../../src/domain/requests/closest-uri.ts'

// Whoever signs up can send these, and everybody else waits as long as they take. By the processor's time, which other
// programs of the machine do not lengthen; what was wrong once took tens of seconds.
const MOST_MS = 500

const PASTED: Pasted = {
  headers: 'webhook-id: evt_1\nwebhook-timestamp: 1700000000\nwebhook-signature: v1,x',
  body: '{}',
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k=', '"plain"'],
  computed: 'x',
  asSent: false,
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

for (const [what, pasted] of [
  ['a body that would become a hundred megabytes with indents', { body: nested(4_000) }],
  ['many empty lists inside others', { body: `${'['.repeat(60)}${'[],'.repeat(5_000)}[]${']'.repeat(60)}` }],
  ['spaces before what a dot of a pattern does not match', { headers: `a:${' '.repeat(60_000)}x\u2028` }],
  ['a long id', { headers: PASTED.headers.replace('evt_1', 'x'.repeat(60_000)) }],
] as Array<[string, Partial<Pasted>]>)
  test(`the signature debugger answers soon: ${what}`, () => {
    const spent = millisecondsFor(() => explainSignature({ ...PASTED, ...pasted }, new Date()))
    assert.ok(spent < MOST_MS, `${spent} ms`)
  })

test('a page of refused redirect URIs is compared soon with as many as can be registered', () => {
  const registered = Array.from({ length: 50 }, (_, each) => `https://example.com/${each + 10}${'b'.repeat(61)}z`)
  const spent = millisecondsFor(() => {
    for (let row = 0; row < 50; row += 1) closestUri(`https://example.com/${'a'.repeat(62)}${row}`, registered)
  })
  assert.ok(spent < MOST_MS, `${spent} ms`)
})

function millisecondsFor(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
