import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { submitTo } from '../harness/portal-scene.ts'
import { verifies } from '../harness/receiver-farm.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(scene.stop)
const { browser } = scene

const open = (id: string) => browser.open(scene.page(`/${id}`))

test('200: secrets are in the answer to a POST, the log says so without them, and no address or log line has them', async () => {
  const secret = 'whsec_dGhlIHNlY3JldCB0aGF0IGlzIHJldmVhbGVk'
  const id = await scene.webhook({ secrets: [secret] })
  const page = await open(id)
  assert.ok(!page.text.includes(secret))
  const answer = await submitTo(browser, page, `${id}/secrets`)
  assert.equal(answer.status, 200)
  assert.ok(answer.text.includes(secret))
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const [entry] = (await scene.logged()).slice(-1)
  assert.deepEqual(entry, {
    action: 'webhook.secrets-revealed',
    before: null,
    after: { webhook: id, environment: 'sandbox', secrets: 1 },
  })
  assert.ok(!JSON.stringify(await scene.logged()).includes(secret))
  assert.ok(!scene.service.logged.join('').includes(secret))
})

test('a rotation without one failed verification, while events keep coming', async () => {
  const post = scene.farm.post()
  const id = await scene.webhook({ url: post.url })
  const done = new AbortController()
  const sending = (async () => {
    while (!done.signal.aborted) {
      const page = await browser.open(scene.page(`/${id}/test`))
      await submitTo(browser, page, '/test', { data: '{}' })
    }
  })()
  // The receiver's own: it is told of a secret after that was added, and forgets one before that is removed.
  const [old = ''] = (await scene.stored(id))?.secrets ?? []
  const arrived = async (more: number) => {
    const before = post.arrivals.length
    assert.ok(await soon(async () => post.arrivals.length >= before + more, PATIENCE_MS))
  }
  await arrived(2)
  assert.match((await submitTo(browser, await open(id), '/secrets/add')).location ?? '', /secret-added/)
  const secrets = (await scene.stored(id))?.secrets ?? []
  const [fresh = ''] = secrets
  assert.deepEqual(secrets, [fresh, old])
  assert.match(fresh, /^whsec_/)
  const added = post.arrivals.length
  await arrived(3)
  const switched = post.arrivals.length
  const page = await open(id)
  await submitTo(browser, page, '/secrets/remove', { which: 'old' })
  assert.deepEqual((await scene.stored(id))?.secrets, [fresh])
  await arrived(3)
  done.abort()
  await sending
  for (const [position, { headers, body }] of post.arrivals.entries()) {
    const known = position < switched ? old : fresh
    assert.ok(verifies(known, headers, body), `arrival ${position} of ${post.arrivals.length}, added ${added}`)
  }
  const actions = (await scene.logged()).map(({ action }) => action).filter((action) => action.includes('secret-'))
  assert.deepEqual(actions, ['webhook.secret-added', 'webhook.secret-removed'])
})

test('409: never more than two, never none, and never another than the one that was meant', async () => {
  const id = await scene.webhook()
  const first = await open(id)
  await submitTo(browser, first, '/secrets/add')
  const second = await submitTo(browser, first, '/secrets/add')
  assert.equal(second.status, 409, 'a second press')
  const two = await open(id)
  const [fresh, old] = (await scene.stored(id))?.secrets ?? []
  assert.equal((await submitTo(browser, two, '/secrets/remove', { which: 'new' })).status, 303)
  assert.deepEqual((await scene.stored(id))?.secrets, [old])
  assert.equal((await submitTo(browser, two, '/secrets/remove', { which: 'old' })).status, 409)
  const fields = { version: '3.2', which: 'old' }
  assert.equal((await submitTo(browser, two, '/secrets/remove', fields)).status, 409, 'the only one')
  assert.deepEqual((await scene.stored(id))?.secrets, [old])
  assert.notEqual(fresh, old)
})

test('two who rotate at the same moment: one of them does', async () => {
  const id = await scene.webhook()
  const page = await open(id)
  const answers = await Promise.all([1, 2, 3, 4].map(() => submitTo(browser, page, '/secrets/add')))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [303, 409, 409, 409],
  )
  assert.equal((await scene.stored(id))?.secrets.length, 2)
})

test('409: a person’s webhook keeps its secrets; they can be read', async () => {
  const userId = await scene.person()
  const id = await scene.webhook({ userId })
  const page = await open(id)
  assert.match(page.text, /a person’s/)
  assert.doesNotMatch(page.text, /secrets\/add/)
  assert.match((await submitTo(browser, page, `${id}/secrets`)).text, /a secret of the webhook/)
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const sent = await browser.post(
    scene.page(`/${id}/secrets/add`),
    { csrf, version: '1.2' },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(sent.status, 409)
  assert.equal((await scene.stored(id))?.secrets.length, 1)
})
