import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertFaults, assertProblem } from '../harness/api-client.ts'
import {
  answered,
  arrivalsBecome,
  attemptCame,
  attemptsOf,
  deliveriesOf,
  only,
  type ShownAttempt,
  type ShownDelivery,
  startDeliveryScene,
  statesBecome,
} from '../harness/delivery-scene.ts'
import { answers, resets } from '../harness/receiver-farm.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const application = await scene.integrator()
const facility = await scene.facility('production', application)
const api = await scene.appApi(application)

test('200 with the delivery and the very body that is sent', async () => {
  const hook = await scene.hook(api)
  const data = { text: 'ü <>&\u2028 \u{1f600}', large: '12345678901234567890' }
  await scene.happen('production', facility, 1, { data })
  const delivery = only(await statesBecome(api, hook, ['delivered']))
  const text = answered(await api.get(`${hook.path}/deliveries/${delivery.id}`))
  const { data: read }: { data: ShownDelivery & { requestBody: string } } = JSON.parse(text)
  const { requestBody, ...rest } = read
  assert.deepEqual(rest, delivery)
  const arrival = only(hook.arrivals)
  assert.equal(requestBody, arrival.body.toString())
  assert.equal(delivery.eventId, arrival.id)
  assert.deepEqual(JSON.parse(requestBody).data, data)
})

test('200 with every attempt, the latest first: what was answered, and what failed when nothing was', async () => {
  const hook = await scene.hook(api, { reply: answers(503, { 'x-mood': 'tired', 'content-type': 'text/plain' }, 'no') })
  await scene.happen('production', facility)
  const { id } = only(await statesBecome(api, hook, ['pending']))
  const first = await attemptCame(api, hook, id, 1)
  hook.reply = resets
  await scene.lastAttempt(hook.id)
  await statesBecome(api, hook, ['failed'])

  const { startedAt, durationMs, responseHead } = first
  assert.deepEqual(first, {
    number: 1,
    startedAt,
    url: hook.url,
    status: 503,
    error: null,
    message: null,
    durationMs,
    responseHead,
    responseBody: 'no',
    manual: false,
  })
  assert.ok(Math.abs(Date.now() - Date.parse(startedAt)) < 60_000)
  assert.ok(Number.isInteger(durationMs) && durationMs >= 0)
  assert.match(responseHead ?? '', /^x-mood: tired$/m)
  const [second, ...others] = await attemptsOf(api, hook, id)
  assert.deepEqual(others, [first])
  assert.ok(second)
  assert.deepEqual([second.number, second.status, second.responseHead, second.responseBody], [2, null, null, null])
  assert.match(second.error ?? '', /^\w+$/)
  assert.match(second.message ?? '', /\w/)
})

test('200 with any bytes that were answered, as text', async () => {
  const bytes = Buffer.from([0x6f, 0x6b, 0x00, 0xff, 0xc3])
  const hook = await scene.hook(api, { reply: (response) => void response.writeHead(200).end(bytes) })
  await scene.happen('production', facility)
  const { id } = only(await statesBecome(api, hook, ['delivered']))
  assert.equal(only(await attemptsOf(api, hook, id)).responseBody, 'ok\0\ufffd\ufffd')
})

test('200 with no attempt before the first; page by page after some', async () => {
  const hook = await scene.hook(api)
  await api.post(`${hook.path}/disable`)
  await scene.happen('production', facility)
  const { id } = only(await deliveriesOf(api, hook))
  assert.deepEqual(await attemptsOf(api, hook, id), [])
  await api.post(`${hook.path}/enable`)
  await arrivalsBecome(hook, 1)
  await statesBecome(api, hook, ['delivered'])
  for (const number of [2, 3]) {
    assert.equal((await api.post(`${hook.path}/deliveries/${id}/resend`)).status, 202)
    await attemptCame(api, hook, id, number)
  }
  const numbers: number[] = []
  for (let cursor = ''; ; ) {
    const answer = await api.get(`${hook.path}/deliveries/${id}/attempts?limit=2${cursor && `&cursor=${cursor}`}`)
    const page: { data: ShownAttempt[]; next: string | null } = JSON.parse(answer.text)
    numbers.push(...page.data.map(({ number }) => number))
    if (page.next === null) break
    cursor = page.next
  }
  assert.deepEqual(numbers, [3, 2, 1])
  const wrong = await api.get(`${hook.path}/deliveries/${id}/attempts?limit=x&cursor=x`)
  assertFaults(wrong, '/query/limit out_of_range', '/query/cursor malformed')
})

test('404 for what is no delivery of this webhook', async () => {
  const [hook, other] = [await scene.hook(api), await scene.hook(api)]
  await scene.happen('production', facility)
  const { id } = only(await statesBecome(api, hook, ['delivered']))
  const stranger = await scene.appApi(await scene.integrator())
  for (const rest of ['', '/attempts']) {
    for (const odd of ['x', 'dlv_', `dlv_${'0'.repeat(32)}`, '%00', 'a'.repeat(256)])
      assertProblem(await api.get(`${hook.path}/deliveries/${odd}${rest}`), 404, 'not_found')
    assertProblem(await api.get(`${other.path}/deliveries/${id}${rest}`), 404, 'not_found')
    assertProblem(await stranger.get(`${hook.path}/deliveries/${id}${rest}`), 404, 'not_found')
    assert.equal((await api.get(`${hook.path}/deliveries/${id}${rest}`)).status, 200)
  }
})
