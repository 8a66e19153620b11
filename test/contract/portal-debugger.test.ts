import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { signedHeaders } from '../../src/domain/deliveries/signature.ts'
import { connectApplication } from '../../src/domain/facilities/facility-store.ts'
import { newWebhookSecret } from '../../src/domain/webhooks/webhook-secret.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { soon } from '../harness/soon.ts'
import { formsOf } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

/** A word that no id, time or number of a log line can have in it by chance. */
const SHIFT = 'night-shift-mark'
const BODY = `{"id":"evt_1","type":"shift.created","data":{"shiftId":"${SHIFT}"}}`

async function member() {
  const ann = await scene.colleague()
  const team = await scene.team('Rota', [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  const at = scene.at(`/teams/${team}/debugger`)
  const explain = async (fields: Record<string, string | null>, query = '') =>
    submitTo(browser, await browser.open(at + query), '/debugger', fields)
  return { ann, team, browser, at, explain }
}

function pasted(secrets: readonly string[], now = new Date()) {
  const headers = Object.entries(signedHeaders({ id: 'evt_1', body: BODY }, secrets, now))
  return { headers: headers.map(([name, value]) => `${name}: ${value}`).join('\n'), body: BODY }
}

/** A delivery that arrived at the demo's receiver, and the secret of its webhook. */
async function delivered(team: string, data: object = { shiftId: SHIFT }) {
  const { application, clientSecret } = await scene.application(team, { type: 'machine', clientCredentials: true })
  const facilityId = scene.service.demo['SANDBOX_FACILITIES']?.split(',')[0] ?? ''
  await connectApplication(scene.db, { environment: 'sandbox', id: facilityId }, application)
  const audience = scene.service.deps.config.audiences.sandbox
  const token = await post('/oidc/oauth/token', {
    headers: { authorization: `Basic ${btoa(`${application}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', audience }),
  })
  const accessToken = /"access_token":"([^"]+)"/.exec(token)?.[1] ?? ''
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  const secret = newWebhookSecret()
  const url = `${scene.service.demo['RECEIVER_URL']}/hook`
  const webhook = { url, events: ['all'], facilities: [], secrets: [secret] }
  await post('/api/v2/public/webhooks/facility', { headers, body: JSON.stringify(webhook) })
  const event = { type: 'shift.created', facilityId, data }
  await post('/api/v2/public/sandbox/events', { headers, body: JSON.stringify(event) })
  const find = () => scene.db<Array<{ id: string; day: string; event_id: string }>>`
    select finished_deliveries.id, day::text, event_id from finished_deliveries
    join webhooks on webhooks.id = webhook_id where application_id = ${application}`
  assert.ok(await soon(async () => (await find()).length === 1, 5_000))
  return { secret, delivery: (await find())[0] ?? assert.fail() }
}

async function post(path: string, request: RequestInit): Promise<string> {
  const answer = await fetch(scene.url + path, { method: 'POST', ...request })
  assert.ok(answer.ok, `${path}: ${answer.status}`)
  return answer.text()
}

test('200: what is valid is said to be, and the secret is nowhere in the answer', async () => {
  const { explain } = await member()
  const secret = newWebhookSecret()
  const answer = await explain({ ...pasted([newWebhookSecret(), secret]), secret })
  assert.equal(answer.status, 200)
  assertPageHeaders(answer)
  assert.match(answer.text, /The signature is valid</)
  assert.match(answer.text, /Signature 2 of 2 fits the secret/)
  assert.ok(!answer.text.includes(secret.slice(6, 30)))
})

test('200: the step that fails, with the way to mend it', async () => {
  const { explain } = await member()
  const secret = newWebhookSecret()
  const good = pasted([secret])
  const spoilt: Array<[Record<string, string>, RegExp]> = [
    [{ ...good, secret: newWebhookSecret() }, /Nothing fits: wrong secret, or the body/],
    [{ ...good, secret, body: JSON.stringify(JSON.parse(BODY), null, 2) }, /You verified the parsed body/],
    [{ ...good, secret: secret.slice(6) }, /Keep the secret with whsec_ in front/],
    [{ ...good, secret, headers: good.headers.replace('webhook-id', 'x-id') }, /webhook-id is not among the headers/],
    [{ ...pasted([secret], new Date(Date.now() - 7_500_000)), secret }, /signed 2 hours 5 minutes ago/],
    [{ ...good, secret, computed: 'abc' }, /cannot be explained/],
  ]
  for (const [fields, words] of spoilt) {
    const answer = await explain(fields)
    assert.equal(answer.status, 200)
    assert.match(answer.text, words)
    assert.doesNotMatch(answer.text, /The signature is valid</)
  }
})

test('400 at the field; what was typed stays, but for the secret', async () => {
  const { explain } = await member()
  const secret = newWebhookSecret()
  const answer = await explain({ headers: 'host: example.com', body: null, secret })
  assert.equal(answer.status, 400)
  assert.match(answer.text, /href="#body"/)
  assert.match(answer.text, /host: example\.com/)
  assert.ok(!answer.text.includes(secret))
  const empty = await explain({ headers: null, body: null })
  for (const name of ['headers', 'body', 'secret']) assert.ok(empty.text.includes(`href="#${name}"`))
})

test('a delivery of the team: headers and body are filled in, the secret is not', async () => {
  const { team, browser, at, explain } = await member()
  const { secret, delivery } = await delivered(team)
  const page = await browser.open(`${at}?delivery=${delivery.id}`)
  assert.equal(page.status, 200, page.text)
  const form = formsOf(page).find(({ action }) => action.endsWith('/debugger'))
  assert.match(form?.fields['headers'] ?? '', new RegExp(`webhook-id: ${delivery.event_id}\n`))
  assert.equal(JSON.parse(form?.fields['body'] ?? '').data.shiftId, SHIFT)
  assert.equal(form?.fields['secret'], '')
  assert.ok(!page.text.includes(secret.slice(6)))
  const right = await explain({ secret }, `?delivery=${delivery.id}`)
  assert.match(right.text, /The signature is valid</)
  const wrong = await explain({ secret: newWebhookSecret() }, `?delivery=${delivery.id}`)
  assert.match(wrong.text, /Wrong secret: headers and body are the ones that we sent/)
  const changed = await explain({ secret: newWebhookSecret(), body: '{}' }, `?delivery=${delivery.id}`)
  assert.match(changed.text, /Nothing fits/)
  const [attempt] = await scene.db<[{ seconds: string }]>`
    select floor(extract(epoch from started_at))::text as seconds from attempts
    where day = ${delivery.day} and delivery_id = ${delivery.id}`
  assert.ok(form?.fields['headers']?.includes(`webhook-timestamp: ${attempt.seconds}\n`), 'the very second')
})

test('a body that is too long for a form is taken as it was sent', async () => {
  const { team, browser, at } = await member()
  const { secret, delivery } = await delivered(team, { text: '&'.repeat(50_000) })
  const page = await browser.open(`${at}?delivery=${delivery.id}`)
  const answer = await submitTo(browser, page, '/debugger', { secret })
  assert.equal(answer.status, 200)
  assert.match(answer.text, /The signature is valid</)
})

test('404 for another team’s delivery, an unknown one and nonsense; a form that names one gets nothing of it', async () => {
  const { team } = await member()
  const { delivery } = await delivered(team)
  const eve = await member()
  for (const id of [delivery.id, `dlv_${'0'.repeat(32)}`, 'x', "' or 1=1", '']) {
    const answer = await eve.browser.get(`${eve.at}?delivery=${encodeURIComponent(id)}`)
    assert.equal(answer.status, 404, id)
  }
  const forced = await eve.explain({ delivery: delivery.id, secret: 'x', headers: null, body: null })
  assert.equal(forced.status, 400)
  assert.ok(!forced.text.includes(delivery.event_id))
})

test('nothing of it is stored or logged', async () => {
  const { explain } = await member()
  const secret = newWebhookSecret()
  const [before] = await scene.db<[{ count: number }]>`select count(*)::int as count from audit_log`
  await explain({ ...pasted([secret]), secret, other_secret: `${secret}x`, computed: 'v1,computed-mark' })
  const [now] = await scene.db<[{ count: number }]>`select count(*)::int as count from audit_log`
  assert.equal(now.count, before.count)
  for (const words of [secret, secret.slice(6), 'computed-mark', SHIFT])
    assert.ok(!scene.service.logged.some((line) => line.includes(words)))
})

test('whatever is pasted is inert', async () => {
  const { explain, browser, at } = await member()
  for (const words of [
    '<script>alert(1)</script>',
    '</textarea><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
  ]) {
    const typed = { headers: `webhook-id: ${words}\nwebhook-timestamp: ${words}\nwebhook-signature: ${words}` }
    const answer = await explain({ ...typed, body: words, computed: words, secret: words, other_secret: words })
    assert.equal(answer.status, 200)
    const named = await browser.get(`${at}?delivery=${encodeURIComponent(words)}`)
    for (const { text } of [answer, named]) {
      assert.ok(!text.includes(words))
      assert.doesNotMatch(text, /<script(?! src="\/public\/site\.js")|<img/)
    }
  }
})
