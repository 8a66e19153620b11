import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { demoId, demoValues } from '../../src/app/demo/demo-values.ts'
import { OLDEST_HOURS, pastWebhooks } from '../../src/app/demo/past/past-webhooks.ts'
import { rosterId, seedPast } from '../../src/app/demo/past/seed-past.ts'
import { seedSupportRequests } from '../../src/app/demo/past/seed-requests.ts'
import { deliveryOf } from '../../src/app/demo/past/told.ts'
import { DELIVERY_STATES } from '../../src/domain/deliveries/delivery.ts'
import { countReplayable } from '../../src/domain/deliveries/replay-list-store.ts'
import { startHandover } from '../harness/handover.ts'
import { WebClient } from '../harness/web-client.ts'

const service = await startHandover()
after(service.stop)
const { demo, deps, addresses, database } = service
const { db } = database
const values = demoValues(deps.cipher, addresses, demo['RECEIVER_URL'] ?? '', deps.config)

async function seed(): Promise<void> {
  await seedPast(deps, values)
  await seedSupportRequests(deps, values)
}

async function counts(): Promise<Record<string, number>> {
  const [row] = await db<[Record<string, number>]>`
    select (select count(*) from applications)::int as applications, (select count(*) from webhooks)::int as webhooks,
      (select count(*) from events)::int as events, (select count(*) from event_ids)::int as ids,
      (select count(*) from deliveries)::int as waiting, (select count(*) from finished_deliveries)::int as finished,
      (select count(*) from attempts)::int as attempts, (select count(*) from request_log)::int as requests,
      (select count(*) from support_requests)::int as asked, (select count(*) from audit_log)::int as audit,
      (select count(*) from application_secrets)::int as secrets,
      (select count(*) from facility_connections)::int as connections`
  return { ...row }
}

before(seed)

test('a second start adds nothing', async () => {
  const first = await counts()
  await seed()
  assert.deepEqual(await counts(), first)
})

test('every event has its delivery, every attempt its number, and nothing is of the future but what waits', async () => {
  const { events = 0, ids, waiting = 0, finished = 0 } = await counts()
  assert.equal(events, ids)
  assert.equal(events, waiting + finished)
  const sound = await db`
    select id from (
      select id, day, attempts, created_at from finished_deliveries where finished_at between created_at and now()
      union all
      -- Nothing is sent to anybody in a newcomer's first hour.
      select deliveries.id, day, attempts, deliveries.created_at from deliveries
      join webhooks on webhooks.id = webhook_id
      where disabled_because is not null or state = 'held' or due_at > now() + interval '1 hour'
    ) as delivery
    where attempts = (select count(*) from attempts where attempts.day = delivery.day and delivery_id = delivery.id
                      and started_at between created_at and now())
      and day = (created_at at time zone 'utc')::date`
  assert.equal(sound.length, waiting + finished)
  const due = await db`select 1 from webhook_schedules where due_at <= now() + interval '1 hour'`
  assert.equal(due.length, 0, 'no worker has anything to do')
})

test('every state, and every reason that a delivery of these days can have', () => {
  const told = pastWebhooks({
    now: new Date(),
    facilityOf: { production: 'fac_a', sandbox: 'fac_b' },
    otherFacility: 'fac_c',
    personId: 'usr_a',
  })
  const deliveries = told.flatMap((webhook) =>
    webhook.told.map((each) =>
      deliveryOf(each, { id: 'whk', url: 'http://localhost/', environment: webhook.environment }, (prefix) => prefix),
    ),
  )
  assert.deepEqual(
    DELIVERY_STATES.filter((state) => !deliveries.some(({ fate }) => fate.state === state)),
    [],
  )
  // Held is told by the webhook or by the row; what expired is older, and what a deleted webhook got nobody can open.
  const reasons = deliveries.flatMap(({ fate }) => ('because' in fate && fate.because !== null ? [fate.because] : []))
  assert.deepEqual(
    new Set(reasons),
    new Set(['attempts_used_up', 'event_unsubscribed', 'facility_removed', 'access_lost', 'consent_revoked']),
  )
  const errors = new Set(deliveries.flatMap(({ attempts }) => attempts.map(({ status, error }) => error ?? status)))
  assert.deepEqual(new Set([200, 410, 429, 500, 503, 'connect', 'reset', 'timeout']), errors)
  const oldest = Math.min(...deliveries.map(({ createdAt }) => createdAt.getTime()))
  assert.ok(oldest >= Date.now() - OLDEST_HOURS * 3_600_000 - 60_000)
})

async function signedIn(path: string, email: string): Promise<WebClient> {
  const browser = new WebClient()
  const page = await browser.open(service.url + path)
  const answer = await browser.submit(page, { email, password: values.DEMO_PASSWORD })
  assert.equal(answer.status, 303, answer.text)
  return browser
}

test('the pages of the portal and of the support console have something to show', async () => {
  const portal = await signedIn('/portal/sign-in', values.PORTAL_EMAIL)
  const team = `${service.url}/portal/teams/${demoId(deps.cipher, 'tem', 'demo')}`
  const id = rosterId(deps.cipher)
  const list = await portal.get(`${team}/applications/${id}/sandbox/webhooks`)
  for (const shown of ['circuit open', '410 Gone', 'enabled', 'user events', 'none of 4 yet'])
    assert.ok(list.text.includes(shown), shown)
  const shows = async (address: string, ...texts: string[]) => {
    const page = await portal.get(address)
    assert.equal(page.status, 200, address)
    for (const text of texts) assert.ok(page.text.includes(text), `${address}: ${text}`)
    return page
  }
  for (const path of new Set(list.text.match(/\/portal\/[^"]*\/webhooks\/whk_[0-9a-f]{32}(?=")/g))) {
    await shows(service.url + path, 'The last 24 hours')
    const deliveries = await shows(`${service.url}${path}/deliveries`, 'delivered')
    const [delivery = ''] = /\/portal\/[^"]*\/deliveries\/dlv_[0-9a-f]{32}(?=")/.exec(deliveries.text) ?? []
    await shows(service.url + delivery, 'Attempts')
  }
  const [replay] = await db<Array<{ webhook_id: string; created_from: Date; created_until: Date; total: number }>>`
    select webhook_id, created_from, created_until, total from replays`
  assert.ok(replay !== undefined)
  const range = { from: replay.created_from, to: replay.created_until, states: ['failed' as const] }
  assert.equal(await countReplayable(db, replay.webhook_id, range), replay.total)
  const replays = `${team}/applications/${id}/sandbox/webhooks/${replay.webhook_id}/replays`
  await shows(replays, 'cancelled', '0 of 3 sent again')
  await shows(`${team}/requests`, 'redirect_uri is not registered.', 'What differs')
  await shows(`${team}/audit`, 'handover demo', 'Support asked', 'Request denied by support', 'approved by support')

  const support = await signedIn('/support/sign-in', values.SUPPORT_EMAIL)
  const queue = await support.get(`${service.url}/support`)
  assert.ok(queue.text.includes('Our back end registers webhooks at night'))
  for (const state of ['approved', 'denied']) {
    const answered = await support.get(`${service.url}/support?state=${state}`)
    assert.ok(answered.text.includes('Demo '), state)
  }
  const health = await support.get(`${service.url}/support/health`)
  assert.ok(health.text.includes('Failing hosts') && health.text.includes(new URL(values.RECEIVER_URL).host))
})

test('who deleted the application is not given it back', async () => {
  await db`update applications set deleted_at = now() where id = ${rosterId(deps.cipher)}`
  const left = await counts()
  await seed()
  assert.deepEqual(await counts(), left)
})
