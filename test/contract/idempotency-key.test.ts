import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { forgetOldAnswers } from '../../src/domain/idempotency/idempotency-store.ts'
import { Problem, unavailable } from '../../src/http/problem.ts'
import { onceForKey } from '../../src/public-api/idempotency.ts'
import type { Answer } from '../harness/answer.ts'
import { type Api, assertFaults, assertProblem, pageIn, webhookIn } from '../harness/api-client.ts'
import { FACILITY_HOOK, HOOK_URL, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { tablesWith } from '../harness/stored-bytes.ts'
import { lockTable, withoutTable } from '../harness/table-lock.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { db } = scene

const key = (value: string) => ({ 'idempotency-key': value })
const newcomer = async () => scene.appApi(await scene.integrator())
const count = async (api: Api, kind = 'user') => pageIn(await api.get(`/webhooks/${kind}`)).data.length

/** The same answer, but for what tells of the request and the rate limit; and marked as given before. */
function assertReplayed(again: Answer, first: Answer): void {
  const told = ({ headers }: Answer) =>
    ['content-type', 'location', 'etag', 'cache-control', 'allow'].map((name) => headers.get(name))
  assert.deepEqual([again.status, again.text, told(again)], [first.status, first.text, told(first)])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
}

test('201 once: the same key and body get the same answer, secret and Location included, and one webhook is made', async () => {
  const api = await newcomer()
  const first = await api.post('/webhooks/user', USER_HOOK, key('k'))
  webhookIn(first, 201)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  for (let turn = 0; turn < 3; turn += 1) assertReplayed(await api.post('/webhooks/user', USER_HOOK, key('k')), first)
  assert.equal(await count(api), 1)
})

test('201 twice without a key', async () => {
  const api = await newcomer()
  for (const made of [1, 2]) {
    webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
    assert.equal(await count(api), made)
  }
})

test('what is refused is the same answer too: 422, 404, 409 and 412', async () => {
  const application = await scene.integrator({ webhooksPerApplication: 1 })
  const api = await scene.appApi(application)
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  const requests: Array<[string, unknown, number, Record<string, string>]> = [
    ['/webhooks/facility', FACILITY_HOOK, 422, {}],
    ['/webhooks/user', { url: HOOK_URL }, 422, {}],
    ['/webhooks/user', USER_HOOK, 409, {}],
    ['/webhooks/user/whk_nobody/enable', undefined, 404, {}],
    [`/webhooks/user/${id}/enable`, undefined, 412, { 'if-match': '"x"' }],
  ]
  const firsts: Answer[] = []
  for (const [position, [path, body, status, more]] of requests.entries()) {
    const first = await api.post(path, body, { ...key(`refused-${position}`), ...more })
    assertProblem(first, status, String(first.body['code']))
    firsts.push(first)
  }
  // What refused them is gone, and yet the answer stays.
  await scene.facility('production', application)
  await api.delete(`/webhooks/user/${id}`)
  for (const [position, [path, body, , more]] of requests.entries()) {
    const again = await api.post(path, body, { ...key(`refused-${position}`), ...more })
    const first = firsts[position]
    assert.ok(first)
    assertReplayed(again, first)
  }
})

test('409 for another body, be it only by a space; the first answer stays', async () => {
  const api = await newcomer()
  const text = JSON.stringify(USER_HOOK)
  const first = await api.raw('POST', '/webhooks/user', text, key('k'))
  for (const other of [JSON.stringify({ ...USER_HOOK, events: ['all'] }), `${text} `, '{}'])
    assertProblem(await api.raw('POST', '/webhooks/user', other, key('k')), 409, 'idempotency_key_reused')
  assertReplayed(await api.raw('POST', '/webhooks/user', text, key('k')), first)
  assert.equal(await count(api), 1)
})

test('409 with Retry-After while the first is still running; after it, the same answer', async () => {
  const api = await newcomer()
  const lock = await lockTable(db, 'webhooks')
  const running = api.post('/webhooks/user', USER_HOOK, key('k'))
  try {
    await lock.waited()
    const meanwhile = await api.post('/webhooks/user', USER_HOOK, key('k'))
    assertProblem(meanwhile, 409, 'still_running')
    assert.equal(meanwhile.headers.get('retry-after'), '1')
    assertProblem(await api.post('/webhooks/user', { ...USER_HOOK, secrets: ['x'] }, key('k')), 409, 'still_running')
  } finally {
    await lock.release()
  }
  const first = await running
  webhookIn(first, 201)
  assertReplayed(await api.post('/webhooks/user', USER_HOOK, key('k')), first)
  assert.equal(await count(api), 1)
})

test('a key is good for one application, environment, subject and path: elsewhere it is another', async () => {
  const [application, other] = [await scene.integrator(), await scene.integrator()]
  const [ann, bob] = [await scene.person(), await scene.person()]
  for (const environment of ['production', 'sandbox'] as const)
    await scene.facility(environment, application, other, ann, bob)
  const callers = [
    await scene.appApi(application),
    await scene.appApi(application, 'sandbox'),
    await scene.appApi(other),
    await scene.personApi(application, ann),
    await scene.personApi(application, bob),
    await scene.personApi(application, ann, 'sandbox'),
  ]
  const body = { url: HOOK_URL, events: ['all'] }
  const ids: string[] = []
  for (const api of callers)
    for (const kind of ['facility', 'user'])
      ids.push(webhookIn(await api.post(`/webhooks/${kind}`, body, key('same')), 201).id)
  assert.equal(new Set(ids).size, callers.length * 2)

  const [api] = callers
  assert.ok(api)
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  assert.equal(webhookIn(await api.post(`/webhooks/user/${id}/disable`, undefined, key('same'))).status, 'disabled')
  assert.equal(webhookIn(await api.post(`/webhooks/user/${id}/enable`, undefined, key('same'))).status, 'enabled')
})

test('one path is one scope, however it is written', async () => {
  const api = await newcomer()
  const first = await api.post('/webhooks/user', USER_HOOK, key('k'))
  const { id } = webhookIn(first, 201)
  for (const path of ['/webhooks/user?&', '/webhooks/us%65r'])
    assertReplayed(await api.post(path, USER_HOOK, key('k')), first)
  assert.equal(await count(api), 1)
  const disabled = await api.post(`/webhooks/user/${id}/disable`, undefined, key('k'))
  webhookIn(disabled)
  assertReplayed(await api.post(`/webhooks/user/%77${id.slice(1)}/disable`, undefined, key('k')), disabled)
})

test('another token of the same caller is the same caller', async () => {
  const application = await scene.integrator()
  const first = await (await scene.appApi(application)).post('/webhooks/user', USER_HOOK, key('k'))
  assertReplayed(await (await scene.appApi(application)).post('/webhooks/user', USER_HOOK, key('k')), first)
})

test('after 24 hours the key is new, and the old answer is forgotten', async () => {
  const api = await newcomer()
  const first = webhookIn(await api.post('/webhooks/user', USER_HOOK, key('k')), 201)
  const [kept] = await db<Array<{ hours: number }>>`
    select extract(epoch from expires_at - now()) / 3600 as hours from idempotency_keys order by expires_at desc limit 1`
  assert.ok(Number(kept?.hours) > 23.9 && Number(kept?.hours) <= 24)
  await db`update idempotency_keys set expires_at = now() - interval '1 second'`
  const second = webhookIn(await api.post('/webhooks/user', { ...USER_HOOK, events: ['all'] }, key('k')), 201)
  assert.notEqual(second.id, first.id)
  await db`update idempotency_keys set expires_at = now() - interval '1 second'`
  await api.post('/webhooks/user', USER_HOOK, key('young'))
  await forgetOldAnswers(db)
  assert.equal((await db`select 1 from idempotency_keys`).length, 1)
})

test('answers are kept encrypted: neither the secret nor the key is in any table', async () => {
  const api = await newcomer()
  const made = webhookIn(await api.post('/webhooks/user', USER_HOOK, key('a-key-to-look-for')), 201)
  const given = { ...USER_HOOK, secrets: ['a secret to look for'] }
  await api.post('/webhooks/user', given, key('another'))
  for (const text of [made.secrets[0]?.slice(6) ?? '', 'a secret to look for', 'a-key-to-look-for'])
    assert.deepEqual(await tablesWith(db, text), [])
  assert.ok((await tablesWith(db, made.id)).includes('webhooks'), 'what is not secret is found')
})

test('500 is not kept: the next try begins anew', async () => {
  const api = await newcomer()
  const failed = await withoutTable(db, 'webhook_counts', () => api.post('/webhooks/user', USER_HOOK, key('k')))
  assertProblem(failed, 500, 'internal_error')
  webhookIn(await api.post('/webhooks/user', USER_HOOK, key('k')), 201)
  assert.equal(await count(api), 1)
})

test('503 that an operation answers by itself is not kept either', async () => {
  const refuse = () => Promise.reject(unavailable())
  const once = (work: () => Promise<{ status: number }>) =>
    onceForKey(db, scene.service.deps.cipher, { scope: ['a busy test'], body: '' }, work, ({ status }) => ({ status }))
  await assert.rejects(once(refuse), { name: 'Problem', status: 503 })
  assert.deepEqual(await once(async () => ({ status: 200 })), { status: 200 })
})

test('what an operation did before it was refused is undone, and the refusal is kept', async () => {
  const { cipher } = scene.service.deps
  const request = { scope: ['a test'], body: '' }
  const facility = { environment: 'production' as const, id: 'fac_undone', name: 'x', city: null, state: null }
  const refuse = () =>
    onceForKey(
      db,
      cipher,
      request,
      async (_, atomically) =>
        atomically(async (tx) => {
          await upsertFacility(tx, facility)
          throw new Problem(409, 'limit_reached', 'Limit reached', 'After all.')
        }),
      ({ status }) => ({ status }),
    )
  assert.deepEqual(await refuse(), { status: 409 })
  assert.equal((await db`select 1 from facilities where id = ${facility.id}`).length, 0)
  assert.deepEqual(await refuse(), { status: 409, headers: { 'idempotent-replayed': 'true' } })
})

test('what never reached the operation is not kept: 401, 403, 400 and 415', async () => {
  const application = await scene.integrator()
  const person = await scene.person()
  const api = await scene.personApi(application, person)
  const reader = scene.api(await scene.personToken(application, person, 'production', ['marketplace:read']))
  assert.equal((await scene.api('x').post('/webhooks/user', USER_HOOK, key('k'))).status, 401)
  assert.equal((await reader.post('/webhooks/user', USER_HOOK, key('k'))).status, 403)
  assert.equal((await api.raw('POST', '/webhooks/user', '{', key('k'))).status, 400)
  assert.equal(
    (await api.raw('POST', '/webhooks/user', 'x', { ...key('k'), 'content-type': 'text/plain' })).status,
    415,
  )
  webhookIn(await api.post('/webhooks/user', USER_HOOK, key('k')), 201)
})

test('a process that is killed in the middle leaves neither webhook nor key behind', async () => {
  const application = await scene.integrator()
  const second = await startSecondProcess(scene.service)
  const lock = await lockTable(db, 'webhooks')
  const token = await scene.appToken(application)
  const cut = scene
    .api(token, second.url)
    .post('/webhooks/user', USER_HOOK, key('k'))
    .catch(() => 'cut off')
  try {
    await lock.waited()
    await second.kill()
    assert.equal(await cut, 'cut off')
  } finally {
    await lock.release()
  }
  const api = scene.api(token)
  const first = await afterOthers(() => api.post('/webhooks/user', USER_HOOK, key('k')))
  webhookIn(first, 201)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  assert.equal(await count(api), 1)
})

test('32 at once with one key, at two processes: one webhook, one answer, and 409 for who came too early', async () => {
  const second = await startSecondProcess(scene.service)
  after(second.stop)
  const token = await scene.appToken(await scene.integrator())
  const urls = [scene.url, second.url]
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, turn) =>
      scene.api(token, urls[turn % 2]).post('/webhooks/user', USER_HOOK, key('k')),
    ),
  )
  const made = answers.filter(({ status }) => status === 201)
  assert.ok(made.length >= 1)
  assert.equal(new Set(made.map(({ text }) => text)).size, 1)
  assert.equal(made.filter(({ headers }) => !headers.has('idempotent-replayed')).length, 1)
  for (const answer of answers) if (answer.status !== 201) assertProblem(answer, 409, 'still_running')
  assert.equal(await count(scene.api(token)), 1)
})

test('400 for a key that is none: empty, too long, not visible ASCII, or there twice', async () => {
  const api = await newcomer()
  for (const wrong of ['', 'a b', 'x'.repeat(256), 'schl\u00fcssel', 'one, two'])
    assertProblem(await api.post('/webhooks/user', USER_HOOK, key(wrong)), 400, 'malformed_idempotency_key')
  assert.equal(await count(api), 0)
  for (const right of ['x', 'x'.repeat(255), '"quoted"', '8e03978e-40d5-43e8-bc93-6894a57f9324'])
    webhookIn(await api.post('/webhooks/user', USER_HOOK, key(right)), 201)
})

test('PATCH and DELETE take no key: each is done as often as it is sent', async () => {
  const api = await newcomer()
  const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
  for (const events of [['all'], ['facility.creation.rejected']])
    assert.deepEqual(webhookIn(await api.patch(`/webhooks/user/${id}`, { events }, key('k'))).events, events)
  assert.equal((await api.delete(`/webhooks/user/${id}`, key('k'))).status, 204)
  assert.equal((await api.delete(`/webhooks/user/${id}`, key('k'))).status, 404)
})

test('422 with a key looks as it does without one', async () => {
  const api = await newcomer()
  assertFaults(await api.post('/webhooks/user', { ...USER_HOOK, url: 1 }, key('k')), '/url wrong_type')
})

/** PostgreSQL notices only now that nobody is there any more. */
async function afterOthers(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send()
  await soon(async () => {
    if (answer.status === 409) answer = await send()
    return answer.status !== 409
  }, PATIENCE_MS)
  return answer
}
