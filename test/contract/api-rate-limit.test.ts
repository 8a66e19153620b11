import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Answer } from '../harness/answer.ts'
import { type Api, assertProblem } from '../harness/api-client.ts'
import { startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { soon } from '../harness/soon.ts'

const scene = await startApiScene()
after(scene.service.stop)

const number = ({ headers }: Answer, name: string): number => {
  const value = headers.get(name)
  assert.match(value ?? '', /^\d+$/, name)
  return Number(value)
}
const left = (answer: Answer) => number(answer, 'x-ratelimit-remaining')
const list = (api: Api) => api.get('/webhooks/user')
const tight = () => scene.integrator({ apiRatePerSecond: 1, apiRateBurst: 5 })

test('50 a second, 100 at once by default; the headers say what is left and when all of it is back', async () => {
  const api = await scene.appApi(await scene.integrator())
  const asked = Math.floor(Date.now() / 1_000)
  const answer = await list(api)
  assert.equal(answer.status, 200)
  assert.equal(number(answer, 'x-ratelimit-limit'), 100)
  assert.equal(left(answer), 99)
  const reset = number(answer, 'x-ratelimit-reset')
  assert.ok(reset >= asked && reset <= Math.floor(Date.now() / 1_000) + 2)
})

test('the headers are on every answer once the application is known: 201, 204, 400, 403, 404, 409, 412, 413, 415 and 422', async () => {
  const application = await scene.integrator({ webhooksPerApplication: 1 })
  const api = await scene.appApi(application)
  const made = await api.post('/webhooks/user', USER_HOOK)
  const path = made.headers.get('location')?.replace('/api/v2/public', '') ?? ''
  const reader = scene.api(await scene.personToken(application, scene.nurse.id, 'production', ['marketplace:read']))
  const answers = [
    made,
    await api.raw('POST', '/webhooks/user', '{'),
    await reader.post('/webhooks/user', USER_HOOK),
    await api.get('/webhooks/user/whk_nobody'),
    await api.post('/webhooks/user', USER_HOOK),
    await api.patch(path, {}, { 'if-match': '"x"' }),
    await api.raw('POST', '/webhooks/user', 'x'.repeat(70_000)),
    await api.raw('POST', '/webhooks/user', 'x', { 'content-type': 'text/plain' }),
    await api.post('/webhooks/user', {}),
    await api.delete(path),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 400, 403, 404, 409, 412, 413, 415, 422, 204],
  )
  for (const answer of answers) assert.equal(number(answer, 'x-ratelimit-limit'), 100)
})

test('429 over the limit, with Retry-After and the headers; nothing was done', async () => {
  const application = await tight()
  const api = await scene.appApi(application)
  const asked = Date.now() / 1_000
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post('/webhooks/user', USER_HOOK)))
  const seconds = Date.now() / 1_000 - asked
  const passed = answers.filter(({ status }) => status === 201).length
  assert.ok(passed >= 5 && passed <= 7 + seconds, `${passed} passed in ${seconds} s`)
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(refused.length + passed, 20)
  for (const answer of refused) {
    assertProblem(answer, 429, 'too_many_requests')
    assert.ok(number(answer, 'retry-after') >= 1)
    assert.equal(number(answer, 'x-ratelimit-limit'), 5)
    assert.equal(left(answer), 0)
    assert.ok(number(answer, 'x-ratelimit-reset') > asked + 4, 'five come back in five seconds')
  }
  const rows = await scene.db`select 1 from webhooks where application_id = ${application.id}`
  assert.equal(rows.length, passed)
})

test('per application and environment: a busy sandbox slows down neither production nor anybody else', async () => {
  const application = await tight()
  const busy = await scene.appApi(application, 'sandbox')
  const answers = await Promise.all(Array.from({ length: 10 }, () => list(busy)))
  assert.ok(answers.some(({ status }) => status === 429))
  assert.equal(left(await list(await scene.appApi(application))), 4)
  assert.equal(left(await list(await scene.appApi(await tight(), 'sandbox'))), 4)
})

test('all people of an application share its limit, and the application itself', async () => {
  const application = await tight()
  const callers = [
    await scene.appApi(application),
    await scene.personApi(application, await scene.person()),
    await scene.personApi(application, await scene.person()),
  ]
  const answers = await Promise.all(callers.map(list))
  // One comes back every second, however slow this machine is.
  assert.ok(Math.min(...answers.map(left)) <= 3)
})

test('who has no good token uses up nothing', async () => {
  const application = await tight()
  const token = await scene.appToken(application)
  for (let turn = 0; turn < 10; turn += 1) {
    const answer = await list(scene.api(`${token}x`))
    assertProblem(answer, 401, 'invalid_token')
    assert.equal(answer.headers.get('x-ratelimit-limit'), null)
  }
  assert.equal(left(await list(scene.api(token))), 4)
})

test('support changes the limit, and it counts within a second', async () => {
  const application = await tight()
  const api = await scene.appApi(application)
  assert.equal(number(await list(api), 'x-ratelimit-limit'), 5)
  await scene.db`
    update applications set api_rate_burst = 500, api_rate_per_second = 100 where id = ${application.id}`
  assert.ok(await soon(async () => (await list(api)).headers.get('x-ratelimit-limit') === '500'))
})

test('the limit of token exchanges is another one', async () => {
  const application = await tight()
  const api = await scene.appApi(application)
  await Promise.all(Array.from({ length: 10 }, () => list(api)))
  assert.equal((await scene.introspect(application, await scene.appToken(application))).body['active'], true)
})
