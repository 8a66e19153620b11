import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { OPERATIONS } from '../../src/public-api/operations.ts'
import { ask } from '../harness/answer.ts'
import { assertFaults, assertProblem, webhookIn } from '../harness/api-client.ts'
import { audienceOf, FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { soon } from '../harness/soon.ts'
import { withoutTable } from '../harness/table-lock.ts'

const scene = await startApiScene()
after(scene.service.stop)
const application = await scene.integrator()
const person = await scene.person()
await scene.facility('production', person)
const token = await scene.personToken(application, person)
const api = scene.api(token)
const at = (path: string, init?: RequestInit) => ask(`${scene.url}${path}`, init)

test('a problem has type, title, status, detail, code and requestId, and errors where fields are wrong', async () => {
  const { body, headers } = await api.post('/webhooks/user', { events: ['all'] }, { 'x-request-id': 'my.request-1' })
  assert.deepEqual(body, {
    type: `${scene.url}/docs/errors#wrong_fields`,
    title: 'Wrong fields',
    status: 422,
    detail: '/url: is required.',
    code: 'wrong_fields',
    requestId: 'my.request-1',
    errors: [{ pointer: '/url', code: 'required', message: 'is required.' }],
  })
  assert.equal(headers.get('x-request-id'), 'my.request-1')
})

test('a pointer is a JSON pointer: ~ and / in a name are escaped', async () => {
  const body = { ...USER_HOOK, 'a/b~c': 1, '': 2 }
  assertFaults(await api.post('/webhooks/user', body), '/a~1b~0c unknown_field', '/ unknown_field')
})

test('422 names 100 faults at most, and says how many there are', async () => {
  const body = { ...USER_HOOK, ...Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x${n}`, n])) }
  const answer = await api.post('/webhooks/user', body)
  assertProblem(answer, 422, 'wrong_fields')
  assert.ok(Array.isArray(answer.body['errors']) && answer.body['errors'].length === 100)
  assert.match(String(answer.body['detail']), /And 149 more/)
})

test('400 for what is not JSON', async () => {
  for (const body of ['{', '{"url":}', "{'url': 1}", 'url=x', '{"a":1,}', 'NaN', ' ', '{"a":1} x'])
    assertProblem(await api.raw('POST', '/webhooks/user', body), 400, 'malformed_json')
})

test('401 without a token: how to send one, and no error code (RFC 6750 3.1)', async () => {
  for (const authorization of [
    undefined,
    '',
    'Basic eDp5',
    'Bearer',
    'Bearer ',
    `Token ${token}`,
    `Bearer ${token} x`,
  ]) {
    const answer = await at('/api/v2/public/webhooks/user', {
      headers: authorization === undefined ? {} : { authorization },
    })
    assertProblem(answer, 401, 'unauthorized')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="handover"')
  }
})

test('401 without a token at every operation that there is', async () => {
  for (const { method, path } of OPERATIONS) {
    const answer = await at(`/api/v2/public${path.replaceAll(/:\w+/g, 'some_id')}`, { method })
    assertProblem(answer, 401, 'unauthorized')
  }
})

test('401 for a token in the query or in the body: never taken from there', async () => {
  assertProblem(await at(`/api/v2/public/webhooks/user?access_token=${token}`), 401, 'unauthorized')
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: `{"access_token":"${token}"}` }
  assertProblem(await at('/api/v2/public/webhooks/user', init), 401, 'unauthorized')
})

test('401 invalid_token for a token that is not ours, and for an ID token', async () => {
  const exchanged = await scene.exchange(
    application,
    await scene.code(application, { audience: audienceOf('production') }),
  )
  for (const wrong of ['x', `${token}x`, token.split('.').slice(0, 2).join('.'), String(exchanged.body['id_token'])]) {
    const answer = await scene.api(wrong).get('/webhooks/user')
    assertProblem(answer, 401, 'invalid_token')
    assert.match(
      answer.headers.get('www-authenticate') ?? '',
      /^Bearer realm="handover", error="invalid_token", error_description="[^"]+"$/,
    )
    assert.equal(answer.headers.get('x-ratelimit-limit'), null, 'whose limit would it be')
  }
})

test('401 for a token without an API audience: the description says so, and which audiences there are', async () => {
  const { access } = await scene.grant(application)
  const answer = await scene.api(access).get('/webhooks/user')
  assertProblem(answer, 401, 'invalid_token')
  const challenge = answer.headers.get('www-authenticate') ?? ''
  for (const said of ['not for this API', audienceOf('production'), audienceOf('sandbox')]) {
    assert.ok(challenge.includes(said), challenge)
    assert.ok(String(answer.body['detail']).includes(said))
  }
  assert.equal((await scene.userinfo(access)).status, 200, 'for userinfo it is good')
})

test('403 insufficient_scope: reading needs marketplace:read, everything else marketplace:write', async () => {
  const [reader, writer, neither] = [
    scene.api(await scene.personToken(application, person, 'production', ['openid', 'marketplace:read'])),
    scene.api(await scene.personToken(application, person, 'production', ['openid', 'marketplace:write'])),
    scene.api(await scene.personToken(application, person, 'production', ['openid'])),
  ]
  const { id } = webhookIn(await writer.post('/webhooks/user', USER_HOOK), 201)
  const path = `/webhooks/user/${id}`
  const refused = [
    ...[writer, neither].flatMap((caller) => [
      { answer: caller.get('/webhooks/user'), scope: 'marketplace:read' },
      { answer: caller.get(path), scope: 'marketplace:read' },
    ]),
    ...[reader, neither].flatMap((caller) => [
      { answer: caller.post('/webhooks/user', USER_HOOK), scope: 'marketplace:write' },
      { answer: caller.patch(path, {}), scope: 'marketplace:write' },
      { answer: caller.post(`${path}/disable`), scope: 'marketplace:write' },
      { answer: caller.delete(path), scope: 'marketplace:write' },
    ]),
  ]
  for (const { answer, scope } of refused) {
    const { headers } = await answer
    assertProblem(await answer, 403, 'insufficient_scope')
    assert.equal(
      headers.get('www-authenticate'),
      `Bearer realm="handover", error="insufficient_scope", scope="${scope}"`,
    )
    assert.equal(headers.get('x-ratelimit-limit'), '100')
  }
  for (const readable of ['/webhooks/user', path]) assert.equal((await reader.get(readable)).status, 200)
  assert.equal((await writer.delete(path)).status, 204)
})

test('403 environment_not_allowed when support has taken the environment away', async () => {
  const limited = await scene.integrator()
  const caller = await scene.appApi(limited, 'sandbox')
  await scene.db`update applications set environments = '{production}' where id = ${limited.id}`
  assert.ok(await soon(async () => (await caller.get('/webhooks/user')).status === 403))
  assertProblem(await caller.get('/webhooks/user'), 403, 'environment_not_allowed')
})

test('404 for what is not there, with a token and without, and for every other version (decision C13)', async () => {
  for (const path of [
    '/api/v2/public/nothing',
    '/api/v2/public',
    '/api/v2/public/',
    '/api/v2/public/webhooks',
    '/api/v2/public/webhooks/other',
    '/api/v2/public/Webhooks/user',
    '/api/v2/webhooks/user',
    '/api/v1/public/webhooks/user',
    '/api/v3/public/webhooks/user',
    '/api/v1/public',
    '/api/',
    '/api',
  ])
    for (const headers of [{}, { authorization: `Bearer ${token}` }])
      for (const method of ['GET', 'POST']) assertProblem(await at(path, { method, headers }), 404, 'not_found')
})

test('405 with Allow for a known path and another method', async () => {
  const cases: Array<[string, string, string[]]> = [
    ['/webhooks/facility', 'GET, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/webhooks/user/whk_1', 'DELETE, GET, PATCH', ['POST', 'PUT']],
    ['/webhooks/user/whk_1/enable', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE']],
  ]
  for (const [path, allow, methods] of cases)
    for (const method of methods) {
      const answer = await api.raw(method, path, null)
      assertProblem(answer, 405, 'method_not_allowed')
      assert.equal(answer.headers.get('allow')?.split(', ').toSorted().join(', '), allow)
    }
})

test('409 limit_reached and idempotency_key_reused: see their own files; each is a problem', async () => {
  const none = await scene.integrator({ webhooksPerApplication: 0 })
  assertProblem(await (await scene.appApi(none)).post('/webhooks/user', USER_HOOK), 409, 'limit_reached')
  const key = { 'idempotency-key': 'once' }
  await api.post('/webhooks/user', USER_HOOK, key)
  assertProblem(await api.post('/webhooks/user', { ...USER_HOOK, secrets: ['x'] }, key), 409, 'idempotency_key_reused')
})

test('412 with the present ETag', async () => {
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  const answer = await api.patch(`/webhooks/user/${id}`, { events: ['all'] }, { 'if-match': '"x"' })
  assertProblem(answer, 412, 'version_changed')
  assert.equal(answer.headers.get('etag'), (await api.get(`/webhooks/user/${id}`)).headers.get('etag'))
})

test('413 over 64 KiB; 64 KiB are read', async () => {
  const padded = (bytes: number) => {
    const body = JSON.stringify({ ...USER_HOOK, x: '' })
    return body.replace('"x":""', `"x":"${'x'.repeat(bytes - body.length)}"`)
  }
  assertFaults(await api.raw('POST', '/webhooks/user', padded(65_536)), '/x unknown_field')
  const refused = await api.raw('POST', '/webhooks/user', padded(65_537))
  assertProblem(refused, 413, 'body_too_large')
  assert.equal(refused.body['detail'], 'The request body is larger than 64 KiB.')
})

test('401 before 413: nobody’s body is read', async () => {
  const socket = connect(Number(new URL(scene.url).port), 'localhost')
  socket.write(
    'POST /api/v2/public/webhooks/user HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
      'Content-Length: 999999999\r\nConnection: close\r\n\r\n{"url":"',
  )
  assert.match(await text(socket), /^HTTP\/1\.1 401 /)
})

test('415 for a body that is not sent as JSON', async () => {
  const body = JSON.stringify(USER_HOOK)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/jsonp',
    'json',
  ])
    assertProblem(
      await api.raw('POST', '/webhooks/user', body, { 'content-type': type }),
      415,
      'unsupported_media_type',
    )
  const untyped = await api.raw('POST', '/webhooks/user', Buffer.from(body), { 'content-type': '' })
  assertProblem(untyped, 415, 'unsupported_media_type')
  assert.equal(untyped.body['detail'], 'Send the body with "Content-Type: application/json".')
  for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"'])
    assert.equal((await api.raw('POST', '/webhooks/user', body, { 'content-type': type })).status, 201, type)
})

test('422 for each wrong field at once: see the files of the operations', async () => {
  assertFaults(
    await api.post('/webhooks/facility', { ...FACILITY_HOOK, url: 1, events: 1 }),
    '/url wrong_type',
    '/events wrong_type',
  )
})

test('429 with Retry-After: see api-rate-limit; it is a problem', async () => {
  const busy = await scene.integrator({ apiRatePerSecond: 1, apiRateBurst: 1 })
  const caller = await scene.appApi(busy)
  const answers = await Promise.all(Array.from({ length: 5 }, () => caller.get('/webhooks/user')))
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  assertProblem(refused, 429, 'too_many_requests')
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
})

test('500 for a fault of ours: nothing of it is told, and the request id leads to the log', async () => {
  const answer = await withoutTable(scene.db, 'webhook_facilities', () => api.get('/webhooks/user'))
  assertProblem(answer, 500, 'internal_error')
  assert.doesNotMatch(answer.text, /webhook_facilities|relation|42P01/)
  assert.ok(
    scene.service.logged.some((line) => line.includes(String(answer.body['requestId'])) && line.includes('42P01')),
  )
})
