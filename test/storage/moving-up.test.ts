import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseConfig } from '../../src/app/config.ts'
import { startDemo } from '../../src/app/demo/start-demo.ts'
import type { Running } from '../../src/app/serve.ts'
import { createLog } from '../../src/platform/log.ts'
import { within } from '../../src/platform/within.ts'
import { ask, assertError, postForm, textOf } from '../harness/answer.ts'
import { type Api, apiAt, webhookIn } from '../harness/api-client.ts'
import { readEnvFile } from '../harness/handover.ts'
import { moveBetween } from '../harness/piped-handover.ts'
import { platformAt } from '../harness/platform-scene.ts'
import { type HandoverProcess, runHandover } from '../harness/process.ts'
import { quietPort } from '../harness/quiet-port.ts'
import { answers, type Post, startFarm } from '../harness/receiver-farm.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { createTestDatabase } from '../harness/test-database.ts'
import { WebClient } from '../harness/web-client.ts'

// From the embedded database to a server while the service runs under load, then on with the same address and the same master
// key: for integrators and people nothing has happened.

const folder = await mkdtemp(join(tmpdir(), 'handover-moving-'))
await chmod(folder, 0o755)
const data = join(folder, 'data')
const port = await quietPort()
const url = `http://localhost:${port}`
const ports = { PORT: String(port), METRICS_PORT: '0', RECEIVER_PORT: '0' }
const target = await createTestDatabase('empty')
const farm = await startFarm()

let old: HandoverProcess
let now: Running | undefined
let values: Record<string, string>

before(async () => {
  old = runHandover(['demo'], { HANDOVER_DATA_DIR: data, ...ports }, folder)
  await within(60_000, 'The start', old.says(/Handover is ready at/))
  values = await readEnvFile(join(data, 'demo.env'))
})
after(async () => {
  await now?.stop()
  await farm.close()
  await target.drop()
  await rm(folder, { recursive: true, force: true })
})

const value = (name: string) => values[name] ?? assert.fail(`no ${name} in demo.env`)
const tokenOf = (fields: Record<string, string>) => postForm(`${url}/oidc/oauth/token`, fields)
const machine = () => ({ client_id: value('MACHINE_CLIENT_ID'), client_secret: value('MACHINE_CLIENT_SECRET') })
const trusted = () => ({ client_id: value('TRUSTED_CLIENT_ID'), client_secret: value('TRUSTED_CLIENT_SECRET') })
const userinfo = (token: string) => ask(`${url}/oidc/userinfo`, { headers: { authorization: `Bearer ${token}` } })

const machineToken = async () =>
  textOf(
    await tokenOf({ grant_type: 'client_credentials', audience: value('API_AUDIENCE_SANDBOX'), ...machine() }),
    'access_token',
  )
const personTokens = async () => {
  const person = { username: value('NURSE_EMAIL'), password: value('DEMO_PASSWORD') }
  const answer = await tokenOf({ grant_type: 'password', scope: 'openid offline_access', ...person, ...trusted() })
  return { access: textOf(answer, 'access_token'), refresh: textOf(answer, 'refresh_token') }
}

async function signedIn(path: string, fields: Record<string, string>): Promise<WebClient> {
  const browser = new WebClient()
  const page = await browser.send(await browser.open(`${url}${path}`), fields)
  assert.equal(page.status, 200, page.text)
  return browser
}

type Hook = Post & { path: string }

async function hook(api: Api): Promise<Hook> {
  const post = farm.post({ secrets: ['a secret of this webhook'] })
  const body = { url: post.url, events: ['shift.created'], facilities: [], secrets: post.secrets }
  const { id } = webhookIn(await api.post('/webhooks/facility', body), 201)
  return Object.assign(post, { path: `/webhooks/facility/${id}` })
}

async function happen(): Promise<string> {
  const event = { environment: 'sandbox', type: 'shift.created', facilityId: value('SANDBOX_FACILITIES').split(',')[0] }
  const answer = await platformAt(url, value('PLATFORM_KEY')).post('/events', { ...event, data: {} })
  assert.equal(answer.status, 202, answer.text)
  const [, id = ''] = /"id":"(evt_\w+)"/.exec(answer.text) ?? []
  return id
}

const statesOf = async (api: Api, { path }: Hook, eventId: string) =>
  new RegExp(`"eventId":"${eventId}"[^}]*"state":"(\\w+)"`).exec(
    (await api.get(`${path}/deliveries?eventId=${eventId}`)).text,
  )?.[1]

test('everybody goes on as if nothing had happened', async () => {
  const token = await machineToken()
  const api = apiAt(url, token)
  const [well, away, disabled] = [await hook(api), await hook(api), await hook(api)]
  away.reply = answers(503)
  assert.equal((await api.post(`${disabled.path}/disable`)).status, 200)
  const first = await happen()
  assert.ok(await soon(async () => well.arrivals.length === 1 && away.arrivals.length === 1, PATIENCE_MS))

  const person = await personTokens()
  const revoked = await personTokens()
  await postForm(`${url}/oidc/oauth/revoke`, { token: revoked.access, ...trusted() })
  const account = await signedIn('/oidc/account', {
    username: value('NURSE_EMAIL'),
    password: value('DEMO_PASSWORD'),
  })
  const portal = await signedIn('/portal/sign-in', { email: value('PORTAL_EMAIL'), password: value('DEMO_PASSWORD') })

  const ending = new AbortController()
  const load = (async () => {
    const ids: string[] = []
    while (!ending.signal.aborted) ids.push(await happen())
    return ids
  })()
  const { exported, imported, codes } = await moveBetween({ HANDOVER_DATA_DIR: data }, { DATABASE_URL: target.url })
  ending.abort()
  assert.deepEqual(codes, [0, 0], `${exported.err()}\n${imported.err()}`)
  const meanwhile = await load
  assert.match(exported.err(), /^Exported [\d,]+ rows of \d+ tables/)
  assert.ok(exported.err().includes(`Keep ${join(data, 'master.key')} too`), exported.err())
  assert.match(exported.err(), /A service still uses this database/)
  assert.match(
    imported.err(),
    /Start the service with master key [0-9a-f]{16} \(HANDOVER_MASTER_KEY\) and the same AUTH_URL/,
  )

  const [torn] = await target.db<[{ torn: number }]>`
    select count(*)::int as torn from event_ids full join events using (environment, id) where body is null or body_hash is null`
  assert.equal(torn.torn, 0)
  const moved = await target.db<Array<{ id: string }>>`select id from event_ids`
  const arrived = meanwhile.filter((id) => moved.some((row) => row.id === id))
  assert.deepEqual(arrived, meanwhile.slice(0, arrived.length), 'all until one moment, and none after it')

  old.child.kill('SIGTERM')
  assert.equal(await old.ended, 0)
  // What failed waits for another 5 s, and for a probe, and what was just being sent for the end of its lease; here it need not.
  await target.db`update deliveries set due_at = now(), leased_until = null, sent = false where state = 'pending'`
  await target.db`
    update webhook_schedules set due_at = now(), consecutive_failures = 0, probe_at = null where due_at < 'infinity'`
  away.reply = answers(204)
  const settings = {
    HANDOVER_DEMO: '1',
    AUTH_URL: url,
    DATABASE_URL: target.url,
    HANDOVER_DATA_DIR: join(folder, 'elsewhere'),
    ...ports,
  }
  const start = (key: Record<string, string>) =>
    startDemo(parseConfig({ ...settings, ...key }), {
      role: 'all',
      log: createLog('silent', { write: () => {} }),
      say: () => {},
    })
  const wrong = Buffer.alloc(32, 1).toString('base64')
  await assert.rejects(start({ HANDOVER_MASTER_KEY: wrong }), /is not the one this database was encrypted with/)
  now = await start({ HANDOVER_MASTER_KEY_FILE: join(data, 'master.key') })

  assert.equal((await api.get('/webhooks/facility')).status, 200, 'tokens verify')
  assert.equal((await userinfo(person.access)).status, 200)
  assert.equal((await userinfo(revoked.access)).status, 401, 'what was revoked stays revoked')
  await machineToken()
  const refresh = () => tokenOf({ grant_type: 'refresh_token', refresh_token: person.refresh, ...trusted() })
  assert.equal((await refresh()).status, 200)
  assertError(await refresh(), 400, 'invalid_grant')
  const page = await account.open(`${url}/oidc/account`)
  assert.equal(page.url, `${url}/oidc/account`, 'the session lives')
  assert.equal((await portal.open(`${url}/portal`)).status, 200)
  await signedIn('/portal/sign-in', { email: value('PORTAL_EMAIL'), password: value('DEMO_PASSWORD') })

  assert.ok(
    await soon(async () => (await statesOf(api, away, first)) === 'delivered', PATIENCE_MS),
    'what waited is sent',
  )
  const later = await happen()
  assert.ok(await soon(async () => well.arrivals.some(({ id }) => id === later), PATIENCE_MS))
  for (const arrival of [...well.arrivals, ...away.arrivals]) assert.equal(arrival.verifiedBy.length, 1)
  assert.equal(await statesOf(api, disabled, first), 'held')
  assert.deepEqual(disabled.arrivals, [])
})

test('an export to a file is for its owner alone; --stopped, an existing name and a folder that is not there are refused', async () => {
  const env = { DATABASE_URL: target.url }
  const file = join(folder, 'backup.export')
  const stopped = runHandover(['export', '--stopped', '--to', file], env)
  assert.equal(await stopped.ended, 1)
  assert.match(stopped.err(), /A service uses this database \(connections: \d+\): stop every process/)
  const made = runHandover(['export', '--to', file], env)
  assert.equal(await made.ended, 0, made.err())
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.match(made.err(), /Keep HANDOVER_MASTER_KEY too/)
  const astray = join(folder, 'astray.export')
  await symlink(join(folder, 'unmounted', 'backup.export'), astray)
  for (const [name, reason] of [
    [file, /is there already: an export overwrites nothing/],
    [astray, /is there already: an export overwrites nothing/],
    [join(folder, 'nowhere', 'backup.export'), /There is no folder/],
  ] as const) {
    const refused = runHandover(['export', '--to', name], env)
    assert.equal(await refused.ended, 1)
    assert.match(refused.err(), reason)
  }
  // The service that it was is stopped; its database is started for this alone.
  const quiet = runHandover(['export', '--stopped', '--to', join(folder, 'moved.export')], { HANDOVER_DATA_DIR: data })
  assert.equal(await quiet.ended, 0, quiet.err())
  assert.doesNotMatch(quiet.err(), /still uses/)
})
