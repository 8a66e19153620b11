import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findApplication } from '../../src/domain/applications/application-store.ts'
import { sendTestEvent } from '../../src/domain/deliveries/test-event.ts'
import { keepListener } from '../../src/domain/listeners/keep-listener.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(() => scene.stop())

async function webhookOfListener(): Promise<string> {
  const application = await findApplication(scene.db, scene.applicationId)
  assert.ok(application)
  const wish = {
    application,
    name: 'ann-laptop',
    events: ['shift.created'],
    url: `${scene.service.url}/listeners/ann-laptop`,
  }
  const kept = await transaction(scene.db, (tx) => keepListener(tx, scene.service.deps.cipher, wish))
  assert.ok('listener' in kept && kept.listener.facilityWebhook)
  return kept.listener.facilityWebhook.id
}

const id = await webhookOfListener()

test('the list and the page say that a listener fetches it; there is no circuit', async () => {
  const list = await scene.browser.get(scene.page())
  assert.match(list.text, /handover listen: ann-laptop/)
  const page = await scene.browser.get(scene.page(`/${id}`))
  assert.match(page.text, /belongs to the listener <strong>ann-laptop<\/strong> and is not called/)
  assert.doesNotMatch(page.text, /Circuit/)
  assert.match(page.text, /everything was fetched/)
})

test('a test event waits for the listener, and its page says so without a button to send it', async () => {
  const webhook = await scene.stored(id)
  assert.ok(webhook)
  const { audiences } = scene.service.deps.config
  const { deliveryId } = await transaction(scene.db, (tx) => sendTestEvent(tx, audiences, webhook, { data: null }))
  const sent = await scene.browser.get(scene.page(`/${id}/deliveries/${deliveryId}`))
  assert.match(sent.text, /handover listen<\/code> has not fetched it yet/)
  assert.match(sent.text, /it waits for handover listen/)
  assert.doesNotMatch(sent.text, /Send now/)
})

test('409 for an edit: each start of the listener says what it gets', async () => {
  const page = await scene.browser.get(scene.page(`/${id}/edit`))
  assert.match(page.text, /handover listen --forward-to localhost:3000\/hooks --name ann-laptop/)
  assert.doesNotMatch(page.text, /name="url"/)
  // Somebody whose page is older than the listener.
  const old = await scene.browser.open(scene.page(`/${await scene.webhook()}/edit`))
  const moved = { ...old, text: old.text.replaceAll(/whk_[0-9a-f]{32}/g, id) }
  const answer = await submitTo(scene.browser, moved, '/edit', { url: 'https://elsewhere.example/' })
  assert.equal(answer.status, 409)
  assert.equal((await scene.stored(id))?.url, `${scene.service.url}/listeners/ann-laptop`)
})
