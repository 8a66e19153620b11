import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseConfig } from '../../src/app/config.ts'
import { serve } from '../../src/app/serve.ts'
import { createLog } from '../../src/platform/log.ts'
import { postForm } from '../harness/answer.ts'
import { type Api, assertProblem } from '../harness/api-client.ts'
import { startDeliveryScene } from '../harness/delivery-scene.ts'
import { openTestStream, type TestStream } from '../harness/listener-stream.ts'
import type { TestApplication } from '../harness/token-scene.ts'

const scene = await startDeliveryScene()
const open = new Set<TestStream>()
after(async () => {
  for (const stream of open) stream.close()
  await scene.stop()
})

const REPORT = { deliveryId: 'dlv_00000000000070008000000000000000', attempt: 1, status: 200, durationMs: 1 }

type Place = { application: TestApplication; facilityId: string; token: string; api: Api }

async function listener(): Promise<Place> {
  const application = await scene.integrator()
  const facilityId = await scene.facility('sandbox', application)
  const token = await scene.appToken(application, 'sandbox')
  const api = scene.api(token)
  assert.equal((await put(api)).status, 201)
  return { application, facilityId, token, api }
}

async function streamOf({ token }: Pick<Place, 'token'>, at = scene.url): Promise<TestStream> {
  const stream = await openTestStream(at, token, 'laptop')
  assert.equal(stream.status, 200)
  open.add(stream)
  return stream
}

/** Everything that can be asked about a listener that is there. */
function everything(api: Api) {
  const path = '/sandbox/listeners/laptop'
  return [api.get(path), api.get(`${path}/stream`), api.post(`${path}/answers`, REPORT), api.delete(path)]
}

function put(api: Api) {
  return api.raw('PUT', '/sandbox/listeners/laptop', '{}')
}

test('403 for everything about listeners in production, and for a person’s token', async () => {
  const { application, api } = await listener()
  const production = await scene.appApi(application, 'production')
  const refused = [put(production), ...everything(production)]
  for (const answer of await Promise.all(refused)) assertProblem(answer, 403, 'sandbox_only')
  const person = await scene.person()
  const theirs = await scene.personApi(application, person, 'sandbox')
  for (const answer of await Promise.all([put(theirs), ...everything(theirs)]))
    assertProblem(answer, 403, 'application_only')
  assert.equal((await api.get('/sandbox/listeners/laptop')).status, 200)
})

test('404 for a listener of another application', async () => {
  await listener()
  const api = await scene.appApi(await scene.integrator(), 'sandbox')
  for (const answer of await Promise.all(everything(api))) assertProblem(answer, 404, 'not_found')
})

test('403 insufficient_scope: reading does not allow making, answering or deleting', async () => {
  const application = await scene.integrator({ apiScopes: ['marketplace:read'] })
  const api = await scene.appApi(application, 'sandbox')
  assertProblem(await put(api), 403, 'insufficient_scope')
  assertProblem(await api.post('/sandbox/listeners/laptop/answers', REPORT), 403, 'insufficient_scope')
  assertProblem(await api.delete('/sandbox/listeners/laptop'), 403, 'insufficient_scope')
  assertProblem(await api.get('/sandbox/listeners/laptop'), 404, 'not_found')
})

test('a stream ends when its token is revoked, and when its application is suspended; nothing comes after', async () => {
  const at = await listener()
  const { id, secret } = at.application
  const revoked = await streamOf(at)
  await postForm(`${scene.url}/oidc/oauth/revoke`, { token: at.token, client_id: id, client_secret: secret })
  assert.equal(await revoked.ended(), 'expired')
  assertProblem(await at.api.get('/sandbox/listeners/laptop/stream'), 401, 'invalid_token')

  const token = await scene.appToken(at.application, 'sandbox')
  const suspended = await streamOf({ token })
  await scene.db`update applications set suspended_at = now() where id = ${id}`
  assert.equal(await suspended.ended(), 'expired')
  await scene.happen('sandbox', at.facilityId)
  assert.deepEqual([...revoked.handed(), ...suspended.handed()], [])
})

/** Another process of the same deployment, as far as the database can tell. */
async function anotherProcess() {
  const config = parseConfig({
    HANDOVER_DEMO: '1',
    AUTH_URL: scene.url,
    DATABASE_URL: scene.service.database.url,
    HANDOVER_DATA_DIR: scene.service.dataFolder,
    PORT: '0',
    METRICS_PORT: '0',
  })
  const logged: string[] = []
  const log = createLog('trace', { write: (line) => void logged.push(line) })
  const { stop } = await serve(config, { role: 'web', log, say: () => {} })
  return { url: `http://127.0.0.1:${/"port":(\d+)/.exec(logged.join())?.[1]}`, logged, stop }
}

test('a stream at another process takes over just as well, and what happens anywhere reaches it', async () => {
  const at = await listener()
  const another = await anotherProcess()
  const first = await streamOf(at)
  const second = await streamOf(at, another.url)
  assert.equal(await first.ended(), 'replaced')
  await scene.happen('sandbox', at.facilityId, 3)
  const handed = await second.handedBecome(3)
  // Answered at one process, it makes room at the other.
  for (const { deliveryId, attempt } of handed) {
    const report = { ...REPORT, deliveryId, attempt }
    assert.equal((await at.api.post('/sandbox/listeners/laptop/answers', report)).status, 200)
  }
  const third = await streamOf(at)
  assert.equal(await second.ended(), 'replaced')
  assert.equal(third.events[0]?.data['count'], 0)
  await another.stop()
})

test('stopping the service ends its streams and tells them so; neither secrets nor bodies are in its log', async () => {
  const at = await listener()
  const { secrets } = JSON.parse((await at.api.get('/sandbox/listeners/laptop')).text).data
  const another = await anotherProcess()
  const stream = await streamOf(at, another.url)
  await scene.happen('sandbox', at.facilityId, 1, { data: { secretOfTheBody: 'xyzzy' } })
  await stream.handedBecome(1)
  await another.stop()
  assert.equal(await stream.ended(), 'stopping')
  const log = another.logged.join('\n')
  assert.match(log, /listeners\/laptop\/stream/)
  assert.ok(!log.includes('xyzzy') && !log.includes(secrets[0]) && !log.includes(at.token))
})
