import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { after, beforeEach, test } from 'node:test'
import { parseConfig } from '../../src/app/config.ts'
import { startDemo } from '../../src/app/demo/start-demo.ts'
import { signedHeaders } from '../../src/domain/deliveries/signature.ts'
import { createLog } from '../../src/platform/log.ts'
import { ask } from '../harness/answer.ts'
import { webhookIn } from '../harness/api-client.ts'
import { startApiScene } from '../harness/api-scene.ts'
import { startDeployed } from '../harness/deployed.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { platformAt } from '../harness/platform-scene.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startApiScene()
after(scene.service.stop)
const { demo } = scene.service
const RECEIVER = demo['RECEIVER_URL'] ?? ''
const machine = { id: demo['MACHINE_CLIENT_ID'] ?? '', secret: demo['MACHINE_CLIENT_SECRET'] ?? '' }
const api = await scene.appApi(machine, 'sandbox')

type Shown = {
  number: number
  receivedAt: string
  path: string
  headers: Record<string, string>
  body: string
  signature: { valid: boolean; webhookId?: string; reason?: string }
  answered: number
}

async function received(): Promise<Shown[]> {
  const { data }: { data: Shown[] } = JSON.parse((await ask(`${RECEIVER}/received`)).text)
  return data
}

async function newest(): Promise<Shown> {
  const [first] = await received()
  assert.ok(first)
  return first
}

const webhookAt = async (path: string, secrets: string[] = []) =>
  webhookIn(
    await api.post('/webhooks/facility', { url: RECEIVER + path, events: ['all'], facilities: [], secrets }),
    201,
  )

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  ask(RECEIVER + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

beforeEach(async () => {
  assert.equal((await ask(`${RECEIVER}/received`, { method: 'DELETE' })).status, 204)
})

test('200: an event for a webhook that points to it arrives, its signature valid, byte for byte', async () => {
  const webhook = await webhookAt('/hook?from=demo')
  const [facilityId] = (demo['SANDBOX_FACILITIES'] ?? '').split(',')
  const sent = await platformAt(scene.url, demo['PLATFORM_KEY'] ?? '').raw(
    'POST',
    '/events',
    `{"id":"first-look","environment":"sandbox","type":"shift.created","facilityId":"${facilityId}","data":{"a" : "<é\u2028>"}}`,
  )
  assert.equal(sent.status, 202, sent.text)
  assert.ok(await soon(async () => (await received()).length === 1, PATIENCE_MS))
  const arrived = await newest()
  assert.deepEqual(arrived.signature, { valid: true, webhookId: webhook.id })
  assert.equal(arrived.path, '/hook?from=demo')
  assert.equal(arrived.answered, 200)
  assert.equal(arrived.headers['webhook-id'], 'first-look')
  assert.equal(arrived.headers['content-type'], 'application/json')
  assert.match(arrived.body, /"data":\{"a" : "<é\u2028>"\}\}$/)
  assert.ok(Math.abs(Date.parse(arrived.receivedAt) - Date.now()) < PATIENCE_MS)
})

test('why a signature is not valid: nobody registered, not signed, another secret, too old; the second secret is as good', async () => {
  const webhook = await webhookAt('/checked', ['first secret', 'second secret'])
  const other = await webhookAt('/checked', ['of another webhook at the same address'])
  const body = '{"type":"shift.created"}'
  const signed = (secret: string, now = new Date()) => signedHeaders({ id: 'evt_1', body }, [secret], now)
  const verdict = async (path: string, headers: Record<string, string>) => {
    assert.equal((await post(path, body, headers)).status, 200)
    return (await newest()).signature
  }
  const reason = async (path: string, headers: Record<string, string>) => (await verdict(path, headers)).reason ?? ''

  assert.deepEqual(await verdict('/checked', signed('second secret')), { valid: true, webhookId: webhook.id })
  assert.deepEqual(await verdict('/checked', signed('of another webhook at the same address')), {
    valid: true,
    webhookId: other.id,
  })
  assert.match(await reason('/elsewhere', signed('first secret')), /No webhook is registered/)
  assert.match(await reason('/checked?query', signed('first secret')), /No webhook is registered/)
  assert.match(await reason('/checked', {}), /header is missing/)
  assert.match(await reason('/checked', signed('wrong')), /No secret of the webhook/)
  const hourAgo = new Date(Date.now() - 3_600_000)
  assert.match(await reason('/checked', signed('first secret', hourAgo)), /more than five minutes/)
  assert.match(await reason('/checked', signed('wrong', hourAgo)), /No secret of the webhook/)
  const changed = { ...signed('first secret'), 'webhook-id': 'evt_2' }
  assert.match(await reason('/checked', changed), /No secret of the webhook/)
})

test('the address chooses status and time', async () => {
  assert.equal((await post('/status/503', '{}')).status, 503)
  assert.equal((await post('/any?status=410', '{}')).status, 410)
  const empty = await post('/status/204', '{}')
  assert.deepEqual([empty.status, empty.text], [204, ''])
  const began = performance.now()
  assert.equal((await post('/any?slow=0.2', '{}')).status, 200)
  assert.ok(performance.now() - began >= 199)
  assert.deepEqual(
    (await received()).map(({ answered }) => answered),
    [200, 204, 410, 503],
  )
})

test('a POST on any path and of any kind is taken, and the last 200 are kept', async () => {
  for (const path of ['/', '/received', '/a/b%20c?d=e', `/${'long'.repeat(200)}`]) {
    assert.equal((await ask(RECEIVER + path, { method: 'POST' })).status, 200)
    assert.equal((await newest()).path, path)
    assert.equal((await newest()).body, '')
  }
  assert.equal((await post('/', 'not json', { 'content-type': 'text/plain' })).status, 200)
  assert.equal((await newest()).body, 'not json')
  assert.equal((await post('/', 'x'.repeat(300 * 1_024))).status, 413)
  const unreadable = await post('/%zz', '{}')
  assert.equal(unreadable.status, 400)
  assertPageHeaders({ ...unreadable, url: RECEIVER, location: null })
  for (let sent = 0; sent < 200; sent += 1) await post('/many', String(sent))
  const all = await received()
  assert.equal(all.length, 200)
  assert.deepEqual([all[0]?.body, all.at(-1)?.body], ['199', '0'])
})

test('the page shows time, headers, body, signature and the lines that checked it; what came is text', async () => {
  const before = await ask(`${RECEIVER}/`)
  assert.match(before.text, /Nothing yet/)
  const webhook = await webhookAt('/shown', ['hush hush'])
  const body = '{"type":"shift.created","data":{"deep":[1]}}'
  await post('/shown', body, signedHeaders({ id: 'evt_1', body }, ['hush hush'], new Date()))
  await post('/shown', '<script>alert(1)</script>')
  const page = await ask(`${RECEIVER}/`)
  assert.equal(page.status, 200)
  assertPageHeaders({ ...page, url: RECEIVER, location: null })
  assert.match(page.text, /shift\.created <span class="tag good">signature valid/)
  assert.match(page.text, /<span class="tag bad">not to be trusted/)
  assert.ok(page.text.includes(webhook.id))
  assert.ok(page.text.includes('webhook-id: evt_1'))
  assert.ok(page.text.includes('&quot;deep&quot;: [\n      1\n    ]'), 'the body is laid out')
  assert.ok(page.text.includes('createHmac(&#39;sha256&#39;, key)'))
  assert.doesNotMatch(page.text, /<script(?! src="\/public\/site\.js" defer>)|hush hush/)
  const style = await ask(`${RECEIVER}/public/site.css`)
  assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8')
})

test('only this machine is answered, by a loopback name and directly; other methods are told what is taken', async () => {
  const { port } = new URL(RECEIVER)
  const asked = request({ host: '127.0.0.1', port, path: '/received', headers: { host: 'rebound.example' } }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()
  assert.equal(answer.statusCode, 421)
  assert.equal((await ask(`${RECEIVER}/received`, { headers: { 'x-forwarded-for': '1.2.3.4' } })).status, 403)
  const put = await ask(`${RECEIVER}/hook`, { method: 'PUT' })
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'POST'])
  assertPageHeaders({ ...put, url: RECEIVER, location: null })
})

test('?webhook= asks for what one webhook got, and ?wait= for the first of it', async () => {
  const webhook = await webhookAt('/asked', ['of this one'])
  const other = await webhookAt('/other', ['of the other'])
  const asked = (id: string, wait: string) => ask(`${RECEIVER}/received?webhook=${id}&wait=${wait}`)
  const body = '{"type":"shift.created"}'
  const arrive = (path: string, secret: string) =>
    post(path, body, signedHeaders({ id: 'evt_1', body }, [secret], new Date()))
  await arrive('/other', 'of the other')
  const waiting = asked(webhook.id, '20')
  await post('/asked', body)
  await arrive('/asked', 'of this one')
  const { data }: { data: Shown[] } = JSON.parse((await waiting).text)
  assert.deepEqual(
    data.map(({ path, signature }) => ({ path, signature })),
    [{ path: '/asked', signature: { valid: true, webhookId: webhook.id } }],
  )
  assert.equal(JSON.parse((await asked(other.id, 'x')).text).data.length, 1)
  for (const wait of ['0.05', '-1', 'x', '', '1e-9'])
    assert.deepEqual(JSON.parse((await asked('whk_none', wait)).text), { data: [] })
})

test('its address is in demo.env', () => {
  assert.match(RECEIVER, /^http:\/\/localhost:\d+$/)
})

test('a port in use is one clear message, and leaves nothing behind', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const place = busy.address()
  const port = String(typeof place === 'object' && place !== null ? place.port : 0)
  const env = {
    HANDOVER_DEMO: '1',
    DATABASE_URL: scene.service.database.url,
    HANDOVER_DATA_DIR: scene.service.dataFolder,
    PORT: '0',
    METRICS_PORT: '0',
    RECEIVER_PORT: '0',
  }
  const options = { role: 'all', log: createLog('silent'), say: () => {} } as const
  try {
    await assert.rejects(startDemo(parseConfig({ ...env, RECEIVER_PORT: port }), options), {
      name: 'OperatorError',
      message: `Port ${port} is in use. Stop what uses it or choose another with RECEIVER_PORT.`,
    })
    // Another port is the one in use: the receiver's is free again.
    await assert.rejects(startDemo(parseConfig({ ...env, PORT: port }), options), /choose another with PORT/)
  } finally {
    busy.close()
  }
})

test('outside demo mode there is no receiver', async () => {
  const port = await quietPort()
  const deployed = await startDeployed({ RECEIVER_PORT: String(port) })
  try {
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`))
  } finally {
    await deployed.stop()
  }
})
