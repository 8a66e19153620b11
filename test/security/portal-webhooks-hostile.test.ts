import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fingerprint } from '../harness/fingerprint.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { answers } from '../harness/receiver-farm.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(scene.stop)
const { browser, facilities } = scene
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</pre></title><svg onload=alert(1)>',
  'abc\u202egpj.exe\u2066',
]

/** Only our own script and our own drawing, no quote of theirs that could end an attribute, and nothing that turns around. */
function assertInert(text: string, where: string): void {
  assert.doesNotMatch(
    text,
    /<script(?! src="\/public\/site\.js" defer><\/script>)|<img|<svg (?!class="bars")|[\u202e\u2066]/,
    where,
  )
  for (const words of HOSTILE.filter((each) => /[<>"']/.test(each))) assert.ok(!text.includes(words), where)
}

for (const words of HOSTILE) {
  test(`inert wherever it is shown: ${JSON.stringify(words)}`, async () => {
    const facility = await scene.facility(words)
    // As the database could hold it, whatever our doors let in.
    const id = await scene.webhook({
      url: `https://partner.example/?${words}`,
      facilities: [facility],
      secrets: [words],
    })
    const [delivery = ''] = await finishedRows(scene.db, 1, {
      webhookId: id,
      state: 'failed',
      because: words,
      attempts: 2,
      eventType: words,
      facilityId: words,
      body: `{"data":"${words}"}`,
      url: `https://partner.example/?${words}`,
      responseHead: `x-said: ${words}`,
      responseBody: words,
      message: words,
    })
    for (const path of [
      '',
      '/edit',
      '/delete',
      '/test',
      '/deliveries',
      `/deliveries/${delivery}`,
      '/replays',
      '/replays/new',
    ]) {
      const page = await browser.get(scene.page(`/${id}${path}`))
      assert.equal(page.status, 200, path)
      assertPageHeaders(page)
      assertTyped(page.text, path)
    }
    assertInert((await browser.get(scene.page())).text, 'the list')
    const revealed = await submitTo(browser, await browser.open(scene.page(`/${id}`)), `${id}/secrets`)
    assertInert(revealed.text, 'revealed')
    const query = encodeURIComponent(words)
    for (const path of [
      `/${id}/deliveries?state=${query}&type=${query}&subject=${query}&id=${query}`,
      `/${id}/deliveries?from=${query}&to=${query}`,
      `/${id}/deliveries/${delivery}?before=${query}&done=${query}`,
      `/${id}/replays/new?from=${query}&to=${query}&states.failed=on`,
      `/${id}/test?type=${query}`,
    ])
      assertTyped((await browser.get(scene.page(path))).text, path)
    const typed = { url: words, data: words, [`facilities.${words}`]: 'on', held: words }
    const form = await browser.open(scene.page('/new'))
    assertTyped((await submitTo(browser, form, '/new', typed)).text, 'typed into a new one')
    const testing = await browser.open(scene.page(`/${id}/test`))
    assertTyped((await submitTo(browser, testing, '/test', typed)).text, 'typed into a test')
    await submitTo(browser, await browser.open(scene.page(`/${id}/edit`)), '/edit', { url: 'https://a.example/' })
    assertInert((await browser.get(scene.at(`/teams/${scene.teamId}/audit`))).text, 'the audit log')
  })
}

/** What somebody typed comes back into the field it was typed into, where a text that turns around turns nothing else. */
function assertTyped(text: string, where: string): void {
  assertInert(text.replaceAll(/ value="[^"]*"|<textarea[^>]*>[^<]*<\/textarea>/g, ''), where)
}

test('404: another environment’s, another application’s and another team’s webhook and delivery, by every page and form', async () => {
  const { application: second } = await scene.application(scene.teamId)
  const bob = await scene.colleague('Bob')
  const elsewhere = await scene.team('Elsewhere', [[bob, 'owner']])
  const { application: foreign } = await scene.application(elsewhere)
  const bobs = await scene.signedIn(bob)
  const id = await scene.webhook()
  const sibling = await scene.webhook()
  const [delivery = ''] = await finishedRows(scene.db, 1, { webhookId: id, facilityId: facilities[0] })
  await scene.db`
    insert into replays (id, webhook_id, created_from, created_until, states, total)
    values ('rpl_theirs', ${id}, now(), now() + interval '1 day', '{failed}', 1)`
  // While it is disabled a replay stands still, and can be cancelled.
  await scene.db`update webhooks set disabled_because = 'by_request' where id = ${id}`
  const gets = [
    '',
    '/edit',
    '/delete',
    '/enable',
    '/test',
    '/deliveries',
    `/deliveries/${delivery}`,
    '/replays',
    '/replays/new',
  ]
  const posts = [
    '/edit',
    '/delete',
    '/enable',
    '/disable',
    '/secrets',
    '/secrets/add',
    '/secrets/remove',
    '/test',
    `/deliveries/${delivery}/send`,
    '/replays',
    '/replays/rpl_theirs/cancel',
  ]
  const form = {
    version: '1.2',
    url: 'https://taken.example/',
    'events.all': 'on',
    held: 'send',
    data: '{}',
    from: '2026-01-01T00:00',
    to: '2099-01-01T00:00',
    'states.failed': 'on',
  }
  const csrfOf = async (client: typeof browser) =>
    /name="csrf" value="([^"]+)"/.exec((await client.get(scene.at('/account'))).text)?.[1] ?? ''
  const tokens = new Map([
    [browser, await csrfOf(browser)],
    [bobs, await csrfOf(bobs)],
  ])
  const places: Array<[client: typeof browser, place: string]> = [
    [browser, `/teams/${scene.teamId}/applications/${scene.applicationId}/production`],
    [browser, `/teams/${scene.teamId}/applications/${second}/sandbox`],
    [bobs, `/teams/${elsewhere}/applications/${foreign}/sandbox`],
    [bobs, `/teams/${elsewhere}/applications/${scene.applicationId}/sandbox`],
    [bobs, `/teams/${scene.teamId}/applications/${scene.applicationId}/sandbox`],
  ]
  const before = await fingerprint(scene.db)
  for (const [client, place] of places) {
    const at = (path: string) => scene.at(`${place}/webhooks/${id}${path}`)
    for (const path of gets) assert.equal((await client.get(at(path))).status, 404, place + path)
    for (const path of posts) {
      const answer = await client.post(at(path), { ...form, csrf: tokens.get(client) ?? '' }, SAME_ORIGIN)
      assert.equal(answer.status, 404, place + path)
    }
  }
  // The delivery and the replay of one webhook through another of the same application.
  assert.equal((await browser.get(scene.page(`/${sibling}/deliveries/${delivery}`))).status, 404)
  const csrf = tokens.get(browser) ?? ''
  assert.equal(
    (await browser.post(scene.page(`/${sibling}/deliveries/${delivery}/send`), { csrf }, SAME_ORIGIN)).status,
    404,
  )
  await browser.post(scene.page(`/${sibling}/replays/rpl_theirs/cancel`), { csrf }, SAME_ORIGIN)
  // That somebody tried is counted.
  assert.deepEqual({ ...(await fingerprint(scene.db)), rate_buckets: null }, { ...before, rate_buckets: null })
})

test('an environment that the application may not use has no pages', async () => {
  const { application } = await scene.application(scene.teamId, { environments: ['sandbox'] })
  const at = (environment: string) =>
    scene.at(`/teams/${scene.teamId}/applications/${application}/${environment}/webhooks`)
  assert.equal((await browser.get(at('sandbox'))).status, 200)
  for (const environment of ['production', 'staging', '%2e%2e'])
    assert.equal((await browser.get(at(environment))).status, 404, environment)
})

test('odd ids, huge and broken input are answered, not stumbled over', async () => {
  const id = await scene.webhook()
  for (const odd of ["'", '%00', '..%2f', 'whk_', 'x'.repeat(250), '%E2%80%AE'])
    assert.ok([400, 404].includes((await browser.get(scene.page(`/${odd}`))).status), odd)
  for (const odd of ["'", 'dlv_', `dlv_${'0'.repeat(32)}`, 'x'.repeat(250)])
    assert.equal((await browser.get(scene.page(`/${id}/deliveries/${odd}`))).status, 404, odd)
  for (const query of ['before=999999999', 'before=0', 'before=-1', 'before=1e9'])
    assert.equal((await browser.get(scene.page(`/${id}/deliveries?${query}`))).status, 200, query)
  const page = await browser.open(scene.page(`/${id}/edit`))
  const huge = await submitTo(browser, page, '/edit', { url: `https://a.example/${'x'.repeat(60_000)}` })
  assert.equal(huge.status, 400)
  assert.match(huge.text, /too long/)
  assert.equal((await submitTo(browser, page, '/edit', { url: 'x'.repeat(70_000) })).status, 413)
  const version = await submitTo(browser, page, '/edit', { version: '' })
  assert.equal(version.status, 409, 'a form without its version is of no version')
  for (const from of ['0000-01-01T00:00', '9999-12-31T23:59'])
    assert.equal((await browser.get(scene.page(`/${id}/deliveries?from=${from}&to=${from}`))).status, 200, from)
})

test('NUL in the address is no accident', async () => {
  const id = await scene.webhook()
  for (const path of ['?subject=%00', '?id=%00', '?id=evt%00', '?subject=%%000000'])
    assert.equal((await browser.get(scene.page(`/${id}/deliveries${path}`))).status, 200, path)
})

// Last of all: what failed is sent again some seconds later, and one of those above finds every table as it was.
test('what a receiver answers is inert: script, quotes, bytes that are no text', async () => {
  const bytes = Buffer.from([0x3c, 0x62, 0x3e, 0xff, 0xfe, 0x00, 0x1b, 0x5b, 0xe2, 0x80, 0xae])
  const post = scene.farm.post({ reply: answers(500, { 'x-said': '"><script>alert(1)</script>' }, bytes) })
  const id = await scene.webhook({ url: post.url })
  const page = await browser.open(scene.page(`/${id}/test`))
  const shown = await browser.follow(await submitTo(browser, page, '/test'))
  assert.equal(shown.status, 200)
  assertInert(shown.text, 'the answer')
  assert.match(shown.text, /&lt;b&gt;/)
  assert.match(shown.text, /<span class="mark">U\+202E<\/span>/)
})
