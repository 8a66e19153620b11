import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { explainSignature, type Pasted } from './explain-signature.ts'
import { signedHeaders } from './signature.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='
const OTHER = 'whsec_AAKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw5Rn9zPqfG9k='
const BARE = SECRET.slice('whsec_'.length)
const ID = 'evt_0198a6c2d1f07c3e9a41b7d2e5f60720'
const NOW = new Date('2026-11-15T08:00:00Z')
const SECONDS = String(NOW.getTime() / 1_000)
const BODY =
  '{"id":"evt_1","type":"shift.created","timestamp":"2026-11-15T08:00:00.000Z","environment":"sandbox","apiVersion":"v2","facilityId":"fac_1","data":{"name":"Zoë / ward","n":1}}'

const lines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const HEADERS = signedHeaders({ id: ID, body: BODY }, [SECRET], NOW)

function explain(pasted: Partial<Pasted>, now = NOW) {
  return explainSignature(
    { headers: lines(HEADERS), body: BODY, secrets: [SECRET], computed: null, asSent: false, ...pasted },
    now,
  )
}

const mac = (key: string | Buffer, content: string, encoding: 'base64' | 'hex' | 'base64url' = 'base64') =>
  createHmac('sha256', key).update(content).digest(encoding)

const signedAs = (signature: string, more: Record<string, string> = {}) =>
  lines({ ...HEADERS, 'webhook-signature': signature, ...more })

describe('what the reference library accepts is valid here', () => {
  for (const [what, secrets, pasted] of [
    ['one signature', [SECRET], { secrets: [SECRET] }],
    ['the second of two signatures', [OTHER, SECRET], { secrets: [SECRET] }],
    ['the second of two secrets', [SECRET], { secrets: [OTHER, SECRET] }],
  ] as const)
    test(what, () => {
      const headers = signedHeaders({ id: ID, body: BODY }, secrets, new Date())
      new Webhook(SECRET).verify(BODY, headers)
      const { verdict, faults } = explain({ ...pasted, headers: lines(headers) }, new Date())
      assert.deepEqual([verdict, faults], ['valid', []])
    })

  test('a plain secret, which is a text like any other', () => {
    const headers = signedHeaders({ id: ID, body: BODY }, ['a plain secret'], new Date())
    new Webhook(Buffer.from('a plain secret'), { format: 'raw' }).verify(BODY, headers)
    assert.equal(explain({ headers: lines(headers), secrets: ['a plain secret'] }, new Date()).verdict, 'valid')
  })

  test('which signature fits which secret', () => {
    const headers = lines(signedHeaders({ id: ID, body: BODY }, [OTHER, SECRET], NOW))
    assert.deepEqual(explain({ headers, secrets: ['x', SECRET] }).fits, { signature: 2, of: 2, secret: 2 })
  })

  for (const [what, headers] of [
    ['capitals', lines(HEADERS).replaceAll('webhook', 'Webhook').replace('-id', '-Id')],
    ['curl -v', lines({ host: 'a', ...HEADERS }).replaceAll(/^/gm, '< ')],
    ['JSON', JSON.stringify(HEADERS, null, 2)],
    [
      'arrays in JSON',
      JSON.stringify(Object.fromEntries(Object.entries(HEADERS).map(([k, v]) => [k, [v]]))).replaceAll('],', '],\n'),
    ],
    ['line breaks of a form', lines(HEADERS).replaceAll('\n', '\r\n')],
  ] as const)
    test(`headers as people have them: ${what}`, () => assert.equal(explain({ headers }).verdict, 'valid'))

  test('a body with line breaks, which a form sends as CRLF', () => {
    const body = '{\n "a": 1\n}'
    const headers = lines(signedHeaders({ id: ID, body }, [SECRET], NOW))
    assert.equal(explain({ headers, body: '{\r\n "a": 1\r\n}' }).verdict, 'valid')
  })
})

describe('which step fails', () => {
  const CASES: Array<[what: string, pasted: Partial<Pasted>, faults: object[]]> = [
    [
      'no headers',
      { headers: 'host: example.com' },
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((header) => ({
        step: 'headers',
        kind: 'missing',
        header,
      })),
    ],
    [
      'a header that comes twice',
      { headers: `${lines(HEADERS)}\nWebhook-Id: evt_2` },
      [{ step: 'headers', kind: 'repeated', header: 'webhook-id' }],
    ],
    ['an empty header', { headers: signedAs('') }, [{ step: 'headers', kind: 'missing', header: 'webhook-signature' }]],
    ['a wrong secret', { secrets: [OTHER] }, [{ step: 'match', kind: 'nothing-fits' }]],
    [
      'a wrong secret for what we know to be ours',
      { secrets: [OTHER], asSent: true },
      [{ step: 'match', kind: 'other-secret' }],
    ],
    [
      'a secret that is no base64',
      { secrets: ['whsec_not base64!'] },
      [
        { step: 'secret', kind: 'malformed', secret: 1 },
        { step: 'match', kind: 'nothing-fits' },
      ],
    ],
    ['a secret without its prefix', { secrets: [BARE] }, [another({ key: 'decoded' })]],
    [
      'spaces around the secret',
      { secrets: [` ${SECRET}`] },
      [{ step: 'secret', kind: 'spaces', secret: 1 }, another({ key: 'trimmed' })],
    ],
    [
      'quotes around the secret',
      { secrets: [`"${SECRET}"`] },
      [{ step: 'secret', kind: 'spaces', secret: 1 }, another({ key: 'trimmed' })],
    ],
    ['a body with indents', { body: JSON.stringify(JSON.parse(BODY), null, 2) }, [another({ body: 'written-again' })]],
    ['a body as Python writes it', { body: BODY.replaceAll(/([,:])"/g, '$1 "') }, [another({ body: 'written-again' })]],
    ['a body with escaped letters', { body: BODY.replace('ë', '\\u00eb') }, [another({ body: 'written-again' })]],
    ['a body with escaped slashes', { body: BODY.replace('/', '\\/') }, [another({ body: 'written-again' })]],
    [
      'a body with sorted keys',
      {
        body: JSON.stringify(
          Object.fromEntries(Object.entries(JSON.parse(BODY)).toSorted(([one], [other]) => (one < other ? -1 : 1))),
        ),
      },
      [another({ body: 'keys-in-another-order' })],
    ],
    ['a line break at the end', { body: `${BODY}\r\n` }, [another({ body: 'line-break-added' })]],
    ['spaces at the end', { body: `${BODY}  ` }, [another({ body: 'spaces-around' })]],
    ['a changed body', { body: BODY.replace('fac_1', 'fac_2') }, [{ step: 'match', kind: 'nothing-fits' }]],
    [
      'signed with the secret as text',
      { headers: signedAs(`v1,${mac(SECRET, `${ID}.${SECONDS}.${BODY}`)}`) },
      [another({ key: 'as-text' })],
    ],
    [
      'signed with the base64 as text',
      { headers: signedAs(`v1,${mac(BARE, `${ID}.${SECONDS}.${BODY}`)}`) },
      [another({ key: 'as-text-without-prefix' })],
    ],
    [
      'hex in place of base64',
      { headers: signedAs(`v1,${mac(Buffer.from(BARE, 'base64'), `${ID}.${SECONDS}.${BODY}`, 'hex')}`) },
      [{ step: 'signature', kind: 'not-base64' }, another({}, 'hex')],
    ],
    [
      'the padding lost',
      { headers: signedAs(HEADERS['webhook-signature'].replace('=', '')) },
      [{ step: 'signature', kind: 'not-base64' }, another({}, 'unpadded')],
    ],
    [
      'without the version',
      { headers: signedAs(HEADERS['webhook-signature'].replace('v1,', '')) },
      [{ step: 'signature', kind: 'no-version' }],
    ],
    [
      'another version',
      { headers: signedAs(HEADERS['webhook-signature'].replace('v1,', 'v1a,')) },
      [{ step: 'signature', kind: 'other-version' }],
    ],
    [
      'the way of others: timestamp and body',
      { headers: signedAs(`v1,${mac(Buffer.from(BARE, 'base64'), `${SECONDS}.${BODY}`)}`) },
      [another({ layout: 'without-id' })],
    ],
    [
      'the wrong order',
      { headers: signedAs(`v1,${mac(Buffer.from(BARE, 'base64'), `${SECONDS}.${ID}.${BODY}`)}`) },
      [another({ layout: 'timestamp-first' })],
    ],
    [
      'no dots',
      { headers: signedAs(`v1,${mac(Buffer.from(BARE, 'base64'), `${ID}${SECONDS}${BODY}`)}`) },
      [another({ layout: 'without-dots' })],
    ],
    [
      'the body alone',
      { headers: signedAs(`v1,${mac(Buffer.from(BARE, 'base64'), BODY)}`) },
      [another({ layout: 'body-alone' })],
    ],
    [
      'two mistakes at once',
      { headers: signedAs(`v1,${mac(SECRET, `${SECONDS}.${BODY}`)}`) },
      [another({ key: 'as-text', layout: 'without-id' })],
    ],
    [
      'milliseconds',
      {
        headers: signedAs(`v1,${mac(Buffer.from(BARE, 'base64'), `${ID}.${SECONDS}000.${BODY}`)}`, {
          'webhook-timestamp': `${SECONDS}000`,
        }),
      },
      [{ step: 'timestamp', kind: 'milliseconds' }],
    ],
    [
      'no number at all',
      { headers: signedAs(HEADERS['webhook-signature'], { 'webhook-timestamp': '2026-11-15T08:00:00Z' }) },
      [
        { step: 'timestamp', kind: 'no-seconds' },
        { step: 'match', kind: 'nothing-fits' },
      ],
    ],
  ]

  for (const [what, pasted, faults] of CASES)
    test(what, () => {
      const explanation = explain(pasted)
      assert.deepEqual(explanation.faults, faults)
      assert.equal(explanation.verdict, 'wrong')
    })

  function another(way: Record<string, string>, encoding = 'base64') {
    return {
      step: 'match',
      kind: 'another-way',
      way: { key: 'right', body: 'right', layout: 'right', ...way },
      encoding,
      secret: 1,
    }
  }

  for (const [seconds, faults] of [
    [0, []],
    [300, []],
    [-300, []],
    [301, [{ step: 'age', kind: 'too-old', seconds: 301 }]],
    [-7_200, [{ step: 'age', kind: 'too-new', seconds: 7_200 }]],
  ] as const)
    test(`looked at ${seconds} s later`, () => {
      const explanation = explain({}, new Date(NOW.getTime() + seconds * 1_000))
      assert.deepEqual(explanation.faults, faults)
      assert.equal(explanation.verdict, faults.length === 0 ? 'valid' : 'old')
    })
})

describe('what somebody’s code computed', () => {
  const key = Buffer.from(BARE, 'base64')
  for (const [what, computed, fault] of [
    ['right', HEADERS['webhook-signature'], null],
    ['right, without the version', HEADERS['webhook-signature'].slice(3), null],
    ['the secret as text', mac(SECRET, `${ID}.${SECONDS}.${BODY}`), { key: 'as-text' }],
    [
      'written with indents',
      mac(key, `${ID}.${SECONDS}.${JSON.stringify(JSON.parse(BODY), null, 2)}`),
      { body: 'written-again-indented' },
    ],
    ['in hex', mac(key, `${ID}.${SECONDS}.${BODY}`, 'hex'), {}],
  ] as const)
    test(what, () => {
      const { faults } = explain({ computed })
      const way = { key: 'right', body: 'right', layout: 'right', ...fault }
      const encoding = what === 'in hex' ? 'hex' : 'base64'
      assert.deepEqual(faults, fault === null ? [] : [{ step: 'computed', kind: 'another-way', way, encoding }])
    })

  test('nothing that we know of', () =>
    assert.deepEqual(explain({ computed: 'abc' }).faults, [{ step: 'computed', kind: 'nothing-fits' }]))
})

describe('whatever is pasted', () => {
  for (const [what, pasted] of [
    ['nested deeply', { body: '['.repeat(30_000) + ']'.repeat(30_000) }],
    ['long', { body: JSON.stringify('é'.repeat(60_000)), secrets: [OTHER, 'plain'], computed: 'x' }],
    ['many signatures', { headers: signedAs('v1,x '.repeat(5_000)) }],
    ['a prototype', { body: '{"__proto__":{"a":1},"constructor":1}' }],
    ['nothing', { headers: '', body: '', secrets: [] }],
    ['no secret', { secrets: [] }],
    [
      'commas without end',
      { headers: `webhook-id: ${','.repeat(60_000)}x\nwebhook-signature: ${'='.repeat(60_000)}x` },
    ],
    ['line breaks without end', { body: `${'\r\n'.repeat(30_000)}x`, secrets: [`${' '.repeat(60_000)}x`] }],
    ['one long line', { headers: `webhook-id:${' '.repeat(60_000)}x` }],
  ] as Array<[string, Partial<Pasted>]>)
    test(`${what} is wrong, and no accident`, () => assert.equal(explain(pasted).verdict, 'wrong'))
})
