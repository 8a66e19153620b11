import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { assertFaults, assertProblem, faultsIn, pageIn, type RawBody, webhookIn } from '../harness/api-client.ts'
import { startApiScene, USER_HOOK } from '../harness/api-scene.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator({ apiRatePerSecond: 10_000, apiRateBurst: 10_000 })
const token = await scene.appToken(application)
const api = scene.api(token)
const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)

/** Sent to create and to update; both read bodies by the same means. */
async function send(body: RawBody) {
  return [await api.raw('POST', '/webhooks/user', body), await api.raw('PATCH', `/webhooks/user/${id}`, body)]
}

const around = (value: string) => `{"url":"https://partner.example/","events":["all"],"secrets":${value}}`

const malformed: Array<[string, RawBody, RegExp]> = [
  ['cut off', '{"url":"https://partner.example/"', /not valid JSON/],
  ['with a comma too many', '{"events":["all",]}', /not valid JSON/],
  ['with comments', '{/* x */"events":["all"]}', /not valid JSON/],
  ['with single quotes', "{'events':['all']}", /not valid JSON/],
  ['two of them', '{}{}', /not valid JSON/],
  ['of nothing but space', '   ', /not valid JSON/],
  ['NaN', '{"events":NaN}', /not valid JSON/],
  ['a raw control character', '{"url":"a\u0001"}', /not valid JSON/],
  ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  ['with an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /not valid UTF-8/],
  ['with a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /not valid UTF-8/],
  ['in UTF-16', Buffer.from(JSON.stringify(USER_HOOK), 'utf16le'), /not valid/],
  ['with a byte order mark', `\ufeff${JSON.stringify(USER_HOOK)}`, /byte order mark/],
  ['the same name twice', '{"url":"https://a.example/","url":"https://b.example/"}', /"\/url" is there twice/],
  ['the same name twice, once escaped', '{"url":1,"\\u0075rl":2}', /"\/url" is there twice/],
  ['the same name twice, further down', around('[{"a":1,"a":2}]'), /"\/secrets\/0\/a" is there twice/],
  ['NUL in a value', around('["a\\u0000b"]'), /"\/secrets\/0" holds a NUL/],
  ['NUL in a name', '{"a\\u0000":1}', /holds a NUL/],
  ['half a surrogate pair', around('["\\ud800"]'), /"\/secrets\/0" .*half of a surrogate pair/],
  ['the other half', around('["\\udc00x"]'), /half of a surrogate pair/],
  ['half a pair in a name', '{"\\ud83d":1}', /half of a surrogate pair/],
  ['nested 65 deep', around(`${'['.repeat(64)}${']'.repeat(64)}`), /nested deeper than 64 levels/],
  ['nested 30,000 deep', `${'['.repeat(30_000)}${']'.repeat(30_000)}`, /nested deeper than 64 levels/],
  ['nested 10,000 objects deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /nested deeper than 64 levels/],
]
for (const [what, body, detail] of malformed) {
  test(`400 for a body ${what}: the message says what is wrong, and where`, async () => {
    for (const answer of await send(body)) {
      assertProblem(answer, 400, 'malformed_json')
      assert.match(String(answer.body['detail']), detail)
      assert.ok(answer.text.length < 1_000, 'and is short')
    }
  })
}

test('422 for __proto__, constructor and the like: names as any other, and nothing is polluted', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    for (const answer of await send(`{"url":"https://partner.example/","events":["all"],"${name}":{"admin":true}}`))
      assertFaults(answer, `/${name} unknown_field`)
  }
  for (const answer of await send('{"__proto__":{"url":"https://partner.example/","events":["all"]}}'))
    assert.ok(faultsIn(answer).some(({ pointer }) => pointer === '/__proto__'))
  assert.ok(!('admin' in {}))
})

test('422 for 10,000 events, known or not, the same or not, without delay', async () => {
  const lists = [
    Array.from({ length: 10_000 }, () => 'x'),
    Array.from({ length: 10_000 }, (_, n) => n),
    Array.from({ length: 7_000 }, () => 'all'),
    Array.from({ length: 10_000 }, () => null),
  ]
  const began = performance.now()
  for (const events of lists)
    for (const answer of await send(JSON.stringify({ url: 'https://partner.example/', events }))) {
      assertProblem(answer, 422, 'wrong_fields')
      assert.ok(faultsIn(answer).length <= 100)
    }
  assert.ok(performance.now() - began < 10_000)
})

test('422 for 5,000 unknown fields, and for one whose name is 60,000 characters', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, 0]))
  for (const answer of await send(JSON.stringify(many))) assertProblem(answer, 422, 'wrong_fields')
  for (const answer of await send(JSON.stringify({ ['x'.repeat(60_000)]: 0 })))
    assertProblem(answer, 422, 'wrong_fields')
})

test('422 for numbers of any size where there is no number', async () => {
  const right = { url: '"https://partner.example/"', events: '["all"]', secrets: '["x"]' }
  for (const number of ['1e999', '-1e999', '9'.repeat(5_000), '1e-999', '-0', '0.1'])
    for (const name of ['url', 'events', 'secrets']) {
      const fields = Object.entries({ ...right, [name]: number }).map(([field, value]) => `"${field}":${value}`)
      for (const answer of await send(`{${fields.join(',')}}`)) assertFaults(answer, `/${name} wrong_type`)
    }
})

test('422 for every wrong type, at every place', async () => {
  const values: unknown[] = [true, false, 0, 'x', '', [], [[]], [{}], [null], {}, { length: 1 }, { toString: 1 }, null]
  const right = { url: 'https://partner.example/', events: ['all'], secrets: ['x'] }
  for (const name of ['url', 'events', 'secrets'] as const)
    for (const value of values) {
      const isNoValue = name === 'secrets' && (value === null || (Array.isArray(value) && value.length === 0))
      for (const answer of await send(JSON.stringify({ ...right, [name]: value }))) {
        if (isNoValue) assert.ok(answer.status < 300)
        else assert.ok(faultsIn(answer).every(({ pointer }) => pointer.split('/')[1] === name))
      }
    }
})

test('what is unusual and right is taken: escapes, emoji, space around, 64 levels of anything before it is refused', async () => {
  const [made] = await send(
    ' \r\n\t{"\\u0075rl":"https:\\/\\/partner.example\\/","events":["\\u0061ll"],"secrets":["😀\\ud83d\\ude00"]} ',
  )
  assert.ok(made)
  const { url, events, secrets } = webhookIn(made, 201)
  assert.deepEqual([url, events, secrets], ['https://partner.example/', ['all'], ['😀😀']])
  const [deep] = await send(around(`${'['.repeat(63)}${']'.repeat(63)}`))
  assert.ok(deep)
  assertFaults(deep, '/secrets/0 wrong_type')
})

test('400 for a body that ends before its Content-Length, and for chunks that are none', async () => {
  const { port } = new URL(scene.url)
  const head = `POST /api/v2/public/webhooks/user HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  for (const rest of ['Content-Length: 500\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n']) {
    const socket = connect({ port: Number(port), host: 'localhost', allowHalfOpen: true })
    socket.end(head + rest)
    assert.match(await text(socket), /^(HTTP\/1\.1 400 |$)/)
  }
})

test('after all this the webhook is what it was meant to be, and nothing of it was a fault of ours', async () => {
  assert.equal((await api.get(`/webhooks/user/${id}`)).status, 200)
  assert.ok(pageIn(await api.get('/webhooks/user')).data.length > 0)
  assert.deepEqual(
    scene.service.logged.filter((line) => /"status":5\d\d|"request failed"/.test(line)),
    [],
  )
})
