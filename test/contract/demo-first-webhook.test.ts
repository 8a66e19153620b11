import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, beforeEach, test } from 'node:test'
import { demoValues } from '../../src/app/demo/demo-values.ts'
import { banner, firstSteps } from '../../src/app/demo/first-run/banner.ts'
import { byHand } from '../../src/app/demo/first-run/by-hand.ts'
import { sendFirstWebhook } from '../../src/app/demo/first-run/first-webhook.ts'
import { ask } from '../harness/answer.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { PATIENCE_MS } from '../harness/soon.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { demo, addresses, deps } = scene.service
const values = demoValues(deps.cipher, addresses, demo['RECEIVER_URL'] ?? '', deps.config)
const api = await scene.appApi({ id: values.MACHINE_CLIENT_ID, secret: values.MACHINE_CLIENT_SECRET }, 'sandbox')

type Listed = { data: Array<{ id: string; url: string; facilities: string[] }> }

async function webhooks(): Promise<Listed['data']> {
  const { data }: Listed = JSON.parse((await api.get('/webhooks/facility')).text)
  return data
}

async function receivedPaths(): Promise<string[]> {
  const { data }: { data: Array<{ path: string; signature: { valid: boolean } }> } = JSON.parse(
    (await ask(`${values.RECEIVER_URL}/received`)).text,
  )
  assert.ok(data.every(({ signature }) => signature.valid))
  return data.map(({ path }) => path)
}

beforeEach(() => ask(`${values.RECEIVER_URL}/received`, { method: 'DELETE' }))

test('it is registered once, delivered and verified at every start, and said with the time it took', async () => {
  for (const start of [1, 2]) {
    const first = await sendFirstWebhook(values, PATIENCE_MS)
    assert.equal(first.outcome, 'delivered')
    assert.ok(first.seconds >= 0 && first.seconds * 1_000 < PATIENCE_MS)
    assert.match(
      firstSteps(values, 'data/demo.env', first),
      /Your first webhook: delivered, signature valid, \d+\.\d\d s from publishing to receipt\.\n/,
    )
    assert.equal((await receivedPaths()).length, start)
  }
  const registered = await webhooks()
  assert.deepEqual(
    registered.map(({ url, facilities }) => ({ url, facilities })),
    [{ url: `${values.RECEIVER_URL}/first-webhook`, facilities: ['fac_sandbox_hillcrest'] }],
  )
})

test('the webhook of a start with another RECEIVER_PORT moves along, however many others there are', async () => {
  const [known] = await webhooks()
  await api.patch(`/webhooks/facility/${known?.id}`, { url: 'http://localhost:9/first-webhook' })
  const machine = { id: values.MACHINE_CLIENT_ID, secret: values.MACHINE_CLIENT_SECRET }
  const others = await scene.webhooks({ application: machine, environment: 'sandbox' }, 'facility', 99)
  const first = await sendFirstWebhook(values, PATIENCE_MS)
  assert.equal(first.outcome, 'delivered')
  const row = await scene.db<Array<{ id: string; url: string }>>`
    select id, url from webhooks where url like '%/first-webhook'`
  assert.deepEqual(
    [...row].map(({ id, url }) => ({ id, url })),
    [{ id: known?.id, url: `${values.RECEIVER_URL}/first-webhook` }],
  )
  await scene.db`delete from webhooks where id = any(${others})`
})

test('what it cannot do, it says plainly, with where to look', async () => {
  const words = async (from = values, patienceMs = PATIENCE_MS) =>
    /Your first webhook: (.*)/.exec(firstSteps(from, 'data/demo.env', await sendFirstWebhook(from, patienceMs)))?.[1]
  assert.equal(
    await words({ ...values, MACHINE_CLIENT_SECRET: 'another' }),
    `not delivered. /oidc/oauth/token answered 401 invalid_client. Its deliveries and requests are in the portal, ${scene.url}/portal.`,
  )
  assert.match((await words({ ...values, PLATFORM_KEY: 'hpk_no' })) ?? '', /\/platform\/v1\/events answered 401 /)
  assert.match(
    (await words({ ...values, TOKEN_URL: 'http://localhost:1/' })) ?? '',
    /^not delivered\. Browsers, .* refuse port 1: choose others with PORT and RECEIVER_PORT\. Its deliveries/,
  )
  const silent = `http://localhost:${await quietPort()}`
  assert.match(
    (await words({ ...values, TOKEN_URL: silent })) ?? '',
    new RegExp(`^not delivered\\. ${silent} could not be asked \\(ECONNREFUSED\\)\\. Its deliveries`),
  )
  assert.match((await words({ ...values, RECEIVER_URL: 'http://localhost:1' }, 400)) ?? '', /^not delivered\. /)
  assert.match((await words(values, 0)) ?? '', /^not delivered\. It took longer than 0 s\. /)

  await sendFirstWebhook(values, PATIENCE_MS)
  const [known] = await webhooks()
  assert.equal((await api.post(`/webhooks/facility/${known?.id}/disable`)).status, 200)
  assert.equal(await words(), `not sent, because it is disabled. Enable it in the portal, ${scene.url}/portal.`)
  assert.equal((await api.post(`/webhooks/facility/${known?.id}/enable`, { held: 'send' })).status, 200)
})

test('the banner names what a newcomer needs, and every address answers', async () => {
  const text = banner(values, 1.23)
  for (const shown of [
    values.DEMO_PASSWORD,
    values.NURSE_EMAIL,
    values.FACILITY_EMAIL,
    values.PORTAL_EMAIL,
    values.SUPPORT_EMAIL,
    values.MACHINE_CLIENT_ID,
    'fac_sandbox_riverside, fac_sandbox_hillcrest',
    `receiver     ${values.RECEIVER_URL}`,
  ])
    assert.ok(text.includes(shown), shown)
  assert.doesNotMatch(text, new RegExp(`${values.MACHINE_CLIENT_SECRET}|hpk_`), 'secrets stay in demo.env')
  for (const [url] of text.matchAll(/http:\/\/\S+?(?=\)?\s)/g)) {
    const { status } = await ask(url, { redirect: 'manual' })
    assert.ok(status === 200 || status === 302 || status === 303, `${url} answered ${status}`)
  }
})

test('the lines for newcomers fit 120 columns, and any folder', () => {
  for (const line of firstSteps(values, 'data/demo.env', { outcome: 'disabled' }).split('\n'))
    assert.ok(line.length <= 120 || line.includes('/portal'), line)
  assert.equal(byHand('data/demo.env')[0], '. data/demo.env')
  assert.equal(byHand('demo.env')[0], '. ./demo.env')
  assert.equal(byHand("../it's my data/demo.env")[0], ". '../it'\\''s my data/demo.env'")
})

for (const shell of ['bash', 'dash', 'zsh']) {
  const missing = spawnSync(shell, ['-c', ':']).status !== 0 && `${shell} is not installed`
  test(`${shell} reads them`, { skip: missing }, () => {
    const { status, stderr } = spawnSync(shell, ['-n'], { input: byHand('data/demo.env').join('\n'), encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
  })
}
