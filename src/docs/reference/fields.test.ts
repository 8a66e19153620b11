import assert from 'node:assert/strict'
import { test } from 'node:test'
import { curlSample } from './curl.ts'
import { envelopeOf, fieldsOf, limitsOf, typeOf } from './fields.ts'

const types: Array<[words: string, schema: object]> = [
  ['string', { type: 'string' }],
  ['string or null', { type: ['string', 'null'] }],
  ['date and time or null', { type: ['string', 'null'], format: 'date-time' }],
  ['array of string or null', { type: ['array', 'null'], items: { type: 'string' } }],
  ['array of Webhook', { type: 'array', items: { $ref: '#/components/schemas/Webhook' } }],
  ['true', { const: true }],
  ['string or integer', { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'string' }] }],
  ['Event', { allOf: [{ $ref: '#/components/schemas/Event' }, { properties: {} }] }],
  ['any value', {}],
]
for (const [words, schema] of types) {
  test(`the type ${words}`, () => assert.equal(typeOf({ ...schema }).words, words))
}

const limits: Array<[limits: string[], schema: object]> = [
  [['1 to 2,048 characters'], { type: 'string', minLength: 1, maxLength: 2048 }],
  [
    ['at most 2 items', 'each at most 256 characters', 'none twice'],
    { maxItems: 2, uniqueItems: true, items: { maxLength: 256 } },
  ],
  [['one of a, b'], { enum: ['a', 'b'] }],
  [['1 to 100', '50 if left out'], { minimum: 1, maximum: 100, default: 50 }],
  [['at least 1 item'], { minItems: 1 }],
  [[], { minimum: 0 }],
  [['matches ^v1,'], { pattern: '^v1,' }],
]
for (const [words, schema] of limits) {
  test(`the limits ${words.join(', ') || 'of nothing'}`, () => assert.deepEqual(limitsOf({ ...schema }), words))
}

test('fields stand in their order, with those inside them', () => {
  const inner = { type: 'object', required: ['b'], properties: { b: { type: 'string' } } }
  const fields = fieldsOf({ required: ['a'], properties: { a: { type: 'array', items: inner }, c: inner } })
  assert.deepEqual(
    fields.map(({ name, required, inside }) => [name, required, inside.map((each) => each.name)]),
    [
      ['a', true, ['b']],
      ['c', false, ['b']],
    ],
  )
})

test('an envelope is what holds nothing but data and the way on', () => {
  const data = { $ref: '#/components/schemas/Webhook' }
  assert.deepEqual(envelopeOf({ properties: { data, next: { type: 'string' } } }), data)
  assert.equal(envelopeOf({ properties: { data, total: { type: 'integer' } } }), null)
  assert.equal(
    envelopeOf({ properties: { data: { properties: { a: {} } } } }),
    null,
    'what has fields of its own is shown',
  )
})

test('a call can be pasted: variables for names, quotes in the body kept', () => {
  const operation = {
    method: 'PATCH',
    path: '/webhooks/{webhookId}',
    parameters: [],
    body: { schema: {}, example: { a: "it's" }, required: true },
  }
  const whole = { ...operation, id: '', summary: '', description: '', scopes: [], answers: [], problems: [] }
  assert.equal(
    curlSample(whole, 'TOKEN'),
    `curl -X PATCH "$BASE_URL/webhooks/$WEBHOOK_ID" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"a":"it'\\''s"}'`,
  )
})
