import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../harness/answer.ts'
import { soonHeard } from '../harness/soon.ts'
import { PRODUCTION, startTokenScene, type TestApplication } from '../harness/token-scene.ts'

const scene = await startTokenScene()
after(scene.service.stop)
const get = (application: TestApplication, fields: Record<string, string | null> = {}) =>
  scene.token(application, { grant_type: 'client_credentials', audience: PRODUCTION, ...fields })
const machine = (rate: { ratePerSecond: number; rateBurst: number }) =>
  scene.application({ clientCredentials: true, ...rate })

const number = (headers: Headers, name: string): number => {
  const value = headers.get(name)
  assert.match(value ?? '', /^\d+$/, name)
  return Number(value)
}

test('100 a second, 200 at once by default; the headers say what is left and when all of it is back', async () => {
  const application = await scene.application({ clientCredentials: true })
  const asked = Math.floor(Date.now() / 1_000)
  const { status, headers } = await get(application)
  assert.equal(status, 200)
  assert.equal(number(headers, 'x-ratelimit-limit'), 200)
  assert.equal(number(headers, 'x-ratelimit-remaining'), 199)
  const reset = number(headers, 'x-ratelimit-reset')
  assert.ok(reset >= asked && reset <= Math.floor(Date.now() / 1_000) + 2)
})

test('remaining goes down with every request', async () => {
  const application = await machine({ ratePerSecond: 1, rateBurst: 50 })
  const began = performance.now()
  for (const due of [49, 48, 47]) {
    const left = number((await get(application)).headers, 'x-ratelimit-remaining')
    // One comes back every second, however slow this machine is.
    const back = Math.floor((performance.now() - began) / 1_000)
    assert.ok(left >= due && left <= due + back, `${left} left, not ${due}`)
  }
})

test('429 over the limit, with Retry-After and the headers; another application at the same moment: 200', async () => {
  const busy = await machine({ ratePerSecond: 1, rateBurst: 5 })
  const other = await machine({ ratePerSecond: 1, rateBurst: 5 })
  const asked = Date.now() / 1_000
  const answers = await Promise.all(Array.from({ length: 20 }, () => get(busy)))
  const seconds = Date.now() / 1_000 - asked
  const calm = await get(other)
  assert.equal(calm.status, 200)
  assert.equal(number(calm.headers, 'x-ratelimit-remaining'), 4)
  const passed = answers.filter(({ status }) => status === 200).length
  assert.ok(passed >= 5 && passed <= 7 + seconds, `${passed} passed in ${seconds} s`)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  assertError(refused, 429, 'too_many_requests')
  assert.ok(number(refused.headers, 'retry-after') >= 1)
  assert.equal(number(refused.headers, 'x-ratelimit-limit'), 5)
  assert.equal(number(refused.headers, 'x-ratelimit-remaining'), 0)
  assert.ok(number(refused.headers, 'x-ratelimit-reset') > asked + 4, 'five come back in five seconds')
})

test('the headers are on refusals after authentication too', async () => {
  const application = await scene.application()
  const answer = await get(application)
  assertError(answer, 400, 'unauthorized_client')
  assert.equal(number(answer.headers, 'x-ratelimit-limit'), 200)
})

test('who does not know the secret uses up nothing, and learns nothing of the limit', async () => {
  const application = await machine({ ratePerSecond: 1, rateBurst: 5 })
  for (let turn = 0; turn < 10; turn += 1) {
    const refused = await get(application, { client_secret: 'wrong' })
    assertError(refused, 401, 'invalid_client')
    assert.equal(refused.headers.get('x-ratelimit-limit'), null)
  }
  assert.equal(number((await get(application)).headers, 'x-ratelimit-remaining'), 4)
})

test('support changes the limit, and it counts within a second', async () => {
  const application = await machine({ ratePerSecond: 1, rateBurst: 5 })
  assert.equal(number((await get(application)).headers, 'x-ratelimit-limit'), 5)
  await scene.db`update applications set rate_burst = 500, rate_per_second = 100 where id = ${application.id}`
  assert.ok(await soonHeard(scene.db, async () => (await get(application)).headers.get('x-ratelimit-limit') === '500'))
})
