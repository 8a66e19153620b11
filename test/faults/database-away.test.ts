import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, ask, assertError, postForm, textOf } from '../harness/answer.ts'
import { assertProblem } from '../harness/api-client.ts'
import { type CuttableProxy, startCuttableProxy } from '../harness/cuttable-proxy.ts'
import { startHandover, type TestHandover } from '../harness/handover.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { testServerUrl } from '../harness/test-database.ts'

// The database is away, or has no room: whoever asks is told to come back, in the style of the door, and nothing else happens.

let proxy: CuttableProxy
let service: TestHandover
let token: string

before(async () => {
  proxy = await startCuttableProxy({ host: '127.0.0.1', port: Number(new URL(testServerUrl()).port) })
  service = await startHandover({}, (url) => Object.assign(new URL(url), { port: String(proxy.port) }).href)
  token = textOf(await machineToken(), 'access_token')
})
after(async () => {
  await service.stop()
  await proxy.close()
})

const demo = (name: string) => service.demo[name] ?? assert.fail(name)
const machine = () => ({ client_id: demo('MACHINE_CLIENT_ID'), client_secret: demo('MACHINE_CLIENT_SECRET') })
const tokenUrl = () => `${service.url}/oidc/oauth/token`
const machineToken = () =>
  postForm(tokenUrl(), { grant_type: 'client_credentials', audience: demo('API_AUDIENCE_SANDBOX'), ...machine() })
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}`, 'content-type': 'application/json' })
const listWebhooks = () => ask(`${service.url}/api/v2/public/webhooks/facility`, { headers: bearer(token) })
const publish = (id: string) =>
  ask(`${service.url}/platform/v1/events`, {
    method: 'POST',
    headers: bearer(demo('PLATFORM_KEY')),
    body: JSON.stringify({
      id,
      environment: 'sandbox',
      type: 'shift.created',
      facilityId: demo('SANDBOX_FACILITIES').split(',')[0],
      data: {},
    }),
  })
const page = (path: string) =>
  ask(service.url + path, {
    headers: {
      accept: 'text/html',
      cookie: ['session', 'portal', 'support'].map((name) => `handover-${name}=${'x'.repeat(43)}`).join('; '),
    },
  })

function assertPutOff(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text)
  assert.match(answer.headers.get('retry-after') ?? '', /^[2-5]$/)
  assert.doesNotMatch(answer.text, /ECONN|CONNECTION_|127\.0\.0\.1|53100|relation/)
}

test('out of reach: 503 with Retry-After at every door, tokens of applications that are known still 200, and all is well when it is back', async () => {
  await proxy.cut('refuse')
  try {
    const refresh = await postForm(tokenUrl(), {
      grant_type: 'refresh_token',
      refresh_token: 'x'.repeat(43),
      ...machine(),
    })
    assertError(refresh, 503, 'temporarily_unavailable')
    const [list, event] = [await listWebhooks(), await publish('evt_away')]
    assertProblem(list, 503, 'temporarily_unavailable')
    assertProblem(event, 503, 'temporarily_unavailable')
    const pages = [
      await page('/oidc/authorize?client_id=app_somebody&response_type=code'),
      await page('/oidc/account'),
      await page('/portal'),
      await page('/support'),
    ]
    for (const answer of pages) assert.match(answer.text, /<h1>Temporarily unavailable<\/h1>/)
    for (const answer of [refresh, list, event, ...pages]) assertPutOff(answer)
    assert.equal((await machineToken()).status, 200)
    assert.equal((await ask(`${service.url}/healthz`)).status, 200)
    const ready = await ask(`${service.url}/readyz`)
    assert.equal(ready.status, 503)
    assert.equal(ready.headers.get('retry-after'), '1')
  } finally {
    await proxy.mend()
  }
  assert.ok(await soon(async () => (await listWebhooks()).status === 200, PATIENCE_MS))
  assert.equal((await publish('evt_away')).status, 202)
  assert.ok(await soon(async () => (await ask(`${service.url}/readyz`)).status === 200, PATIENCE_MS))
})

test('no room: what only reads goes on, what writes is put off, and a line says why without a stack', async () => {
  const { db } = service.database
  await db.unsafe(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger no_room before insert on events for each row execute function no_room()`)
  const full = await publish('evt_full')
  assertPutOff(full)
  assert.equal((await listWebhooks()).status, 200)
  await db`drop trigger no_room on events`
  assert.equal((await publish('evt_full')).status, 202)
  const lines = service.logged.filter((line) => line.includes(String(full.body['requestId'])))
  assert.ok(lines.some((line) => line.includes('"errorCode":"53100"') && line.includes('request put off')))
  assert.ok(!lines.some((line) => line.includes('"stack"')))
})
