import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { unescapeHtml } from '../harness/page-forms.ts'
import { platformAt } from '../harness/platform-scene.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { answers, resets, verifies } from '../harness/receiver-farm.ts'
import { deliveriesOf, statesBecome } from '../harness/sending-rows.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import type { FormFields, WebAnswer } from '../harness/web-client.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(scene.stop)
const { browser, farm, facilities } = scene
const platform = platformAt(scene.url, scene.service.demo['PLATFORM_KEY'] ?? '')

async function sendTest(id: string, fields: FormFields = {}): Promise<WebAnswer> {
  return submitTo(browser, await browser.open(scene.page(`/${id}/test`)), '/test', fields)
}

async function happen(count: number, facilityId = facilities[0]): Promise<string[]> {
  const events = Array.from({ length: count }, (_, shift) => ({
    environment: 'sandbox',
    type: shift % 2 === 0 ? 'shift.created' : 'shift.cancelled',
    facilityId,
    data: { shift },
  }))
  const answer = await platform.post('/events', events)
  assert.equal(answer.status, 202, answer.text)
  const { data }: { data: Array<{ id: string }> } = JSON.parse(answer.text)
  return data.map(({ id }) => id)
}

const listed = (page: WebAnswer) => [
  ...new Set([...page.text.matchAll(/deliveries\/(dlv_[0-9a-f]{32})"/g)].map(([, id]) => id)),
]

test('303: a test event is delivered, and request and answer stand on the page that follows', async () => {
  const post = farm.post({
    secrets: ['a secret of the webhook'],
    reply: answers(201, { 'x-receiver': 'ours' }, 'thank <you>'),
  })
  const id = await scene.webhook({ url: post.url, events: ['shift.created'] })
  const form = await browser.open(scene.page(`/${id}/test?type=shift.report.created`))
  assert.match(form.text, /workedMinutes/, 'the example of the type that was asked for')
  const answer = await submitTo(browser, form, '/test', {
    data: '{ "shiftId": 9007199254740993, "note": "by hand" }',
    facility: facilities[1],
  })
  assert.equal(answer.status, 303, answer.text)
  const [arrival] = post.arrivals
  assert.ok(arrival)
  assert.deepEqual(arrival.verifiedBy, ['a secret of the webhook'])
  const body = arrival.body.toString()
  assert.ok(
    body.includes('"test":true') && body.includes(facilities[1]) && body.includes('"type":"shift.report.created"'),
  )
  assert.ok(body.endsWith('"data":{ "shiftId": 9007199254740993, "note": "by hand" }}'), 'to the byte')

  const page = await browser.follow(answer)
  const text = unescapeHtml(page.text)
  assert.match(page.text, />delivered</)
  assert.match(page.text, />test</)
  assert.ok(text.includes(body))
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent', 'content-type'])
    assert.ok(text.includes(`${name}: ${String(arrival.headers[name])}`), name)
  assert.ok(text.includes(`POST ${post.url}`))
  assert.match(page.text, /201\nx-receiver: ours/)
  assert.match(page.text, /thank &lt;you&gt;/)
  assert.match(page.text, new RegExp(`/portal/teams/${scene.teamId}/debugger\\?delivery=dlv_[0-9a-f]{32}"`))
  assert.equal((await scene.logged()).at(-1)?.action, 'webhook.tested')
})

test('a receiver that takes its time: the page does not wait for it, says so, and leads to the answer', async () => {
  const seen = Promise.withResolvers<void>()
  const post = farm.post({
    reply: (response, arrival) => void seen.promise.then(() => answers(204)(response, arrival)),
  })
  const id = await scene.webhook({ url: post.url })
  const page = await browser.follow(await sendTest(id))
  assert.equal(page.status, 200)
  assert.match(page.text, /still on its way/)
  assert.match(page.text, /being sent now/)
  assert.doesNotMatch(page.text, /Retry now/)
  seen.resolve()
  const again = scene.url + (/href="([^"]+)">Look again</.exec(page.text)?.[1] ?? '')
  assert.ok(await soon(async () => />delivered</.test((await browser.open(again)).text), PATIENCE_MS))
})

const NOT_DATA: Array<[what: string, data: string, fault: RegExp]> = [
  ['nothing', '  ', /Write a JSON object/],
  ['no JSON', '{"a":', /This is not JSON/],
  ['a list', '[1]', /must be a JSON object/],
  ['a word', '"x"', /must be a JSON object/],
  ['a name twice', '{"a":1,"a":2}', /is there twice/],
  ['half a character', String.raw`{"a":"\ud800"}`, /surrogate/],
  ['a NUL', String.raw`{"a":"\u0000"}`, /NUL/],
]

for (const [what, data, fault] of NOT_DATA) {
  test(`400 at the field, what was typed stays, and nothing is sent: ${what}`, async () => {
    const id = await scene.webhook()
    const answer = await sendTest(id, { data })
    assert.equal(answer.status, 400)
    assert.match(unescapeHtml(answer.text), fault)
    assert.ok(unescapeHtml(answer.text).includes(data.trim()))
    assert.equal((await deliveriesOf(scene.db, id)).length, 0)
  })
}

test('400 for a facility of somebody else, 409 while disabled, and nothing is sent', async () => {
  const id = await scene.webhook()
  const foreign = await browser.open(scene.page(`/${id}/test`))
  assert.equal((await submitTo(browser, foreign, '/test', { facility: 'fac_elsewhere' })).status, 400)
  await scene.db`update webhooks set disabled_because = 'by_request' where id = ${id}`
  assert.equal((await submitTo(browser, foreign, '/test')).status, 409)
  assert.equal((await deliveriesOf(scene.db, id)).length, 0)
})

test('429: test events are limited, with the limit of the API', async () => {
  const { application } = await scene.application(scene.teamId, { apiRatePerSecond: 1, apiRateBurst: 5 })
  const facility = await scene.facility('Limited', 'sandbox', application)
  const post = farm.post()
  const id = await scene.webhook({ applicationId: application, url: post.url, facilities: [facility] })
  const at = scene.at(`/teams/${scene.teamId}/applications/${application}/sandbox/webhooks/${id}/test`)
  const page = await browser.open(at)
  const statuses = await Promise.all([1, 2, 3].map(async () => (await submitTo(browser, page, '/test')).status))
  assert.deepEqual(
    statuses.toSorted((one, other) => one - other),
    [303, 429, 429],
  )
})

test('Retry now while retries are pending, Resend after: the same id and body, and every answer is kept', async () => {
  const post = farm.post({ secrets: ['a secret of the webhook'], reply: answers(503, {}, 'not now') })
  const id = await scene.webhook({ url: post.url })
  const failed = await browser.follow(await sendTest(id))
  assert.match(failed.text, />pending</)
  assert.match(failed.text, /Retry now/)
  assert.doesNotMatch(failed.text, /Resend/)
  post.reply = answers(200, {}, 'at last')
  const done = await browser.follow(await submitTo(browser, failed, '/send'))
  assert.match(done.text, />delivered</)
  assert.match(done.text, /Attempt 2/)
  assert.match(done.text, /not now/)
  assert.match(done.text, /Resend/)
  const again = await browser.follow(await submitTo(browser, done, '/send'))
  assert.match(again.text, /Attempt 3/)
  assert.match(again.text, /by hand/)
  assert.equal(new Set(post.arrivals.map((each) => `${each.id} ${each.bodyHash}`)).size, 1)
  assert.ok(post.arrivals.every(({ headers, body }) => verifies('a secret of the webhook', headers, body)))
  const actions = (await scene.logged()).slice(-2).map(({ action }) => action)
  assert.deepEqual(actions, ['delivery.sent-again', 'delivery.sent-again'])
})

test('409: nothing is sent again to a disabled webhook, nor what it does not get any more', async () => {
  const post = farm.post()
  const id = await scene.webhook({ url: post.url })
  await happen(1)
  await statesBecome(scene.db, id, { delivered: 1 })
  const [delivery] = await deliveriesOf(scene.db, id)
  const page = await browser.open(scene.page(`/${id}/deliveries/${delivery?.id}`))
  await scene.db`update webhooks set events = '{shift.scheduled}' where id = ${id}`
  const unwanted = await submitTo(browser, page, '/send')
  assert.deepEqual([unwanted.status, /does not subscribe to this type any more/.test(unwanted.text)], [409, true])
  await scene.db`update webhooks set disabled_because = 'failing' where id = ${id}`
  assert.equal((await submitTo(browser, page, '/send')).status, 409)
  assert.equal(post.arrivals.length, 1)
})

test('an attempt without an answer names its stage', async () => {
  const id = await scene.webhook({ url: farm.post({ reply: resets }).url })
  const page = await browser.follow(await sendTest(id))
  assert.match(page.text, /No answer: <strong>\w+<\/strong>/)
})

test('200: deliveries by state, type, facility, id and time, newest first, by cursor', async () => {
  const post = farm.post()
  const facility = await scene.facility('Filtered')
  const id = await scene.webhook({ url: post.url, facilities: [facility, facilities[0]] })
  const events = await happen(60, facility)
  const [other = ''] = await happen(1, facilities[0])
  await statesBecome(scene.db, id, { delivered: 61 })
  const rows = (await deliveriesOf(scene.db, id)).toReversed()
  const at = (query: string) => scene.page(`/${id}/deliveries?${query}`)
  const all = async (query: string) => {
    const seen: Array<string | undefined> = []
    let url: string | undefined = at(query)
    for (let pages = 0; url !== undefined && pages < 10; pages += 1) {
      const page: WebAnswer = await browser.get(url)
      assert.equal(page.status, 200)
      seen.push(...listed(page))
      const older: string | undefined = /href="([^"]*before=[^"]+)"/.exec(page.text)?.[1]
      url = older === undefined ? undefined : scene.url + unescapeHtml(older)
    }
    return seen
  }
  const ids = (wanted: (row: { event_id: string }) => boolean) => rows.filter(wanted).map((row) => row.id)
  const evens = new Set(events.filter((_, shift) => shift % 2 === 0))
  assert.deepEqual(
    await all(''),
    ids(() => true),
  )
  assert.deepEqual(
    await all('state=delivered&type=shift.cancelled'),
    ids(({ event_id }) => events.includes(event_id) && !evens.has(event_id)),
  )
  assert.deepEqual(
    await all(`subject=${facilities[0]}`),
    ids(({ event_id }) => event_id === other),
  )
  assert.deepEqual(
    await all(`id=${other}`),
    ids(({ event_id }) => event_id === other),
  )
  assert.deepEqual(await all('state=failed'), [])
  assert.deepEqual(await all('to=2026-01-01T00:00'), [])
  assert.equal((await all('from=2026-01-01T00:00')).length, 61)
  assert.deepEqual(
    await all("state=nonsense&type=%27&before='"),
    ids(() => true),
    'what we did not offer counts as none',
  )
  const byId = await browser.get(at(`id=${rows[3]?.id}`))
  assert.ok(byId.location?.endsWith(`/deliveries/${rows[3]?.id}`))
  for (const query of ['from=yesterday', 'to=2026-13-99T00:00', 'from=2026-01-01T00%3A00%2B99']) {
    const page = await browser.get(at(query))
    assert.equal(page.status, 400, query)
    assert.match(page.text, /Write a date and a time in UTC/)
  }
})

test('a replay: counted first, confirmed, running, cancelled; one at a time', async () => {
  const post = farm.post()
  const id = await scene.webhook({ url: post.url })
  await happen(8)
  await statesBecome(scene.db, id, { delivered: 8 })
  await scene.db`update webhook_schedules set per_second = 1 where webhook_id = ${id}`
  const page = await browser.open(scene.page(`/${id}/replays/new`))
  assert.doesNotMatch(page.text, /Send all/)
  const range = 'from=2026-01-01T00:00&to=2099-01-01T00:00'
  const none = await browser.open(scene.page(`/${id}/replays/new?${range}&states.failed=on`))
  assert.match(none.text, /Nothing fits/)
  const counted = await browser.open(scene.page(`/${id}/replays/new?${range}&states.delivered=on`))
  assert.match(counted.text, /8 deliveries fit/)
  assert.equal(post.arrivals.length, 8, 'counting sends nothing')
  const begun = await browser.follow(await submitTo(browser, counted, '/replays'))
  assert.match(begun.text, />running</)
  assert.equal((await submitTo(browser, counted, '/replays')).status, 409)
  const cancelled = await browser.follow(await submitTo(browser, begun, '/cancel'))
  assert.match(cancelled.text, />cancelled</)
  assert.equal((await submitTo(browser, begun, '/cancel')).status, 303, 'twice is the same as once')
  const actions = (await scene.logged()).slice(-2).map(({ action }) => action)
  assert.deepEqual(actions, ['replay.begun', 'replay.cancelled'])
  const whole = await browser.open(scene.page(`/${id}/replays/new?${range}&states.delivered=on`))
  await scene.db`update webhook_schedules set per_second = 50 where webhook_id = ${id}`
  await submitTo(browser, whole, '/replays')
  const isDone = async () => />done</.test((await browser.get(scene.page(`/${id}/replays`))).text)
  assert.ok(await soon(isDone, PATIENCE_MS))
})

test('400: a replay without states, without times, or that ends before it begins', async () => {
  const id = await scene.webhook()
  for (const [query, fault] of [
    ['from=2026-01-01T00:00&to=2026-01-02T00:00', /Choose at least one/],
    ['from=&to=x&states.failed=on', /Write a date and a time/],
    ['from=2026-01-02T00:00&to=2026-01-01T00:00&states.failed=on', /must be later/],
  ] as const) {
    const page = await browser.get(scene.page(`/${id}/replays/new?${query}`))
    assert.equal(page.status, 400, query)
    assert.match(page.text, fault)
  }
})
