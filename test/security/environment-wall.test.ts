import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { Environment } from '../../src/domain/environment.ts'
import { OPERATIONS } from '../../src/public-api/operations.ts'
import type { Answer } from '../harness/answer.ts'
import {
  type Api,
  assertProblem,
  bodyWithoutRequestId,
  pageIn,
  type ShownWebhook,
  webhookIn,
} from '../harness/api-client.ts'
import { FACILITY_HOOK, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { startDatabaseProxy } from '../harness/database-proxy.ts'

const proxy = await startDatabaseProxy()
const scene = await startApiScene({}, proxy.urlOf)
after(async () => {
  await scene.service.stop()
  await proxy.close()
})

// Everything is asked by everybody, which is more than the usual limit lets pass.
const unhurried = { apiRatePerSecond: 10_000, apiRateBurst: 10_000 }
const [application, another] = [await scene.integrator(unhurried), await scene.integrator(unhurried)]
const [ann, bob] = [await scene.person(), await scene.person()]
for (const environment of ['production', 'sandbox'] as const)
  await scene.facility(environment, application, another, ann, bob)

const NOBODYS = 'whk_00000000000070008000000000000000'
const bodies = { facility: FACILITY_HOOK, user: USER_HOOK }
type Kind = keyof typeof bodies

type Ask = (api: Api, id: string) => Promise<Answer>

/** Everything that can be asked of one webhook, whatever operations there are, and some of it in more than one way. */
function asksOf(kind: Kind): Record<string, Ask> {
  const place = `/webhooks/${kind}/:webhookId`
  const every = OPERATIONS.filter(({ path }) => path.startsWith(place)).map(({ method, path, body }): [string, Ask] => [
    `${method} ${path}`,
    (api, id) => {
      const target = path.replace(':webhookId', id).replaceAll(/:\w+/g, 'some_id')
      return api.raw(method, target, body === undefined ? null : JSON.stringify(body.example))
    },
  ])
  assert.ok(every.length >= 5)
  const path = (id: string) => `/webhooks/${kind}/${id}`
  return {
    ...Object.fromEntries(every),
    'a PATCH of everything': (api, id) =>
      api.patch(path(id), { url: 'https://thief.example/', events: ['all'], secrets: [] }),
    'a PATCH that is wrong': (api, id) => api.patch(path(id), { url: 1 }),
    'a PATCH of one version': (api, id) => api.patch(path(id), {}, { 'if-match': '"1.0"' }),
    'a POST with a key': (api, id) => api.post(`${path(id)}/disable`, undefined, { 'idempotency-key': randomUUID() }),
  }
}

type Owner = { name: string; environment: Environment; api: Api; strangers: Record<string, Api> }

async function owners(environment: Environment): Promise<Owner[]> {
  const other: Environment = environment === 'production' ? 'sandbox' : 'production'
  const [anns, bobs, own] = [
    await scene.personApi(application, ann, environment),
    await scene.personApi(application, bob, environment),
    await scene.appApi(application, environment),
  ]
  const far = {
    [`the application in ${other}`]: await scene.appApi(application, other),
    'another application': await scene.appApi(another, environment),
  }
  return [
    {
      name: `a person in ${environment}`,
      environment,
      api: anns,
      strangers: {
        ...far,
        [`the person in ${other}`]: await scene.personApi(application, ann, other),
        'the person through another application': await scene.personApi(another, ann, environment),
        'another person of the application': bobs,
      },
    },
    {
      name: `an application in ${environment}`,
      environment,
      api: own,
      strangers: { ...far, 'a person of the application': anns },
    },
  ]
}

for (const environment of ['production', 'sandbox'] as const) {
  for (const { name, api, strangers } of await owners(environment)) {
    for (const kind of ['facility', 'user'] as const) {
      test(`404 for the ${kind} webhook of ${name} to everyone else, exactly as for an id that nobody has`, async () => {
        const webhook = webhookIn(await api.post(`/webhooks/${kind}`, bodies[kind]), 201)
        for (const [who, stranger] of Object.entries(strangers)) {
          for (const [what, ask] of Object.entries(asksOf(kind))) {
            const [hidden, missing] = [await ask(stranger, webhook.id), await ask(stranger, NOBODYS)]
            assertProblem(hidden, 404, 'not_found')
            assert.deepEqual(bodyWithoutRequestId(hidden), bodyWithoutRequestId(missing), `${who}: ${what}`)
            assert.deepEqual(namesOf(hidden), namesOf(missing), `${who}: ${what}`)
          }
          await assertNotListed(stranger, kind, webhook)
        }
        assert.deepEqual(webhookIn(await api.get(`/webhooks/${kind}/${webhook.id}`)), webhook, 'nothing was changed')
      })
    }
  }
}

test('the database does the same work for a webhook of somebody else as for one that is not there', async () => {
  const { id } = webhookIn(await (await scene.personApi(application, ann)).post('/webhooks/user', USER_HOOK), 201)
  const stranger = await scene.personApi(application, bob)
  for (const [what, ask] of Object.entries(asksOf('user'))) {
    const hidden = await statementsOf(() => ask(stranger, id))
    const missing = await statementsOf(() => ask(stranger, NOBODYS))
    assert.ok(missing.length > 0, what)
    assert.deepEqual(hidden, missing, what)
  }
})

test('and by the same plan: the row is found by its id, and thrown away where it is read', async () => {
  const { id } = webhookIn(await (await scene.personApi(application, ann)).post('/webhooks/user', USER_HOOK), 201)
  const look = (webhookId: string) => scene.db<Array<{ 'QUERY PLAN': string }>>`
    explain (costs off) select * from webhooks where id = ${webhookId} and application_id = ${another.id}
      and environment = 'production' and kind = 'user'`
  const [hidden, missing] = [await look(id), await look(NOBODYS)]
  assert.deepEqual(hidden.map(shape), missing.map(shape))
})

test('the application reads and changes what its people registered, in the same environment', async () => {
  for (const environment of ['production', 'sandbox'] as const) {
    const { id } = webhookIn(
      await (await scene.personApi(application, ann, environment)).post('/webhooks/user', USER_HOOK),
      201,
    )
    const api = await scene.appApi(application, environment)
    assert.equal(webhookIn(await api.get(`/webhooks/user/${id}`)).id, id)
    assert.deepEqual(webhookIn(await api.patch(`/webhooks/user/${id}`, { events: ['all'] })).events, ['all'])
    assert.equal((await api.delete(`/webhooks/user/${id}`)).status, 204)
  }
})

async function assertNotListed(stranger: Api, kind: Kind, { id }: ShownWebhook): Promise<void> {
  for (let next: string | null = ''; next !== null; ) {
    const page = pageIn(await stranger.get(`/webhooks/${kind}?limit=100${next && `&cursor=${next}`}`))
    assert.ok(!page.data.some((webhook) => webhook.id === id))
    next = page.next
  }
}

/** What a request did to webhooks; the worker's own statements name its queue. */
async function statementsOf(request: () => Promise<Answer>): Promise<string[]> {
  const mark = proxy.statements.length
  assert.equal((await request()).status, 404)
  return proxy.statements
    .slice(mark)
    .filter((statement) => /\bwebhooks\b|\bidempotency_keys\b|advisory/.test(statement))
    .filter((statement) => !/webhook_schedules|deliveries|replays|departed|expires_at < now/.test(statement))
    .map((statement) => statement.replaceAll(/\s+/g, ' '))
}

function shape({ 'QUERY PLAN': line }: { 'QUERY PLAN': string }): string {
  return line.replaceAll(/whk_[0-9a-f]+/g, 'whk')
}

function namesOf({ headers }: Answer): string[] {
  return [...headers.keys()].toSorted()
}
