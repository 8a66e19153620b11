import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { lookUp } from '../../src/domain/lookup/lookup-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { startSupportScene } from '../harness/support-scene.ts'

const scene = await startSupportScene()
after(scene.service.stop)
const { db, desk } = scene

const ann = await scene.colleague('Ann Lee')
const team = await scene.team('Rota Partners', [[ann, 'owner']])
const application = await scene.applicationCalled('Night rota', team)
const browser = await scene.atDesk(await scene.agent())
const find = (q: string) => browser.get(desk(`/find?q=${encodeURIComponent(q)}`))

const [nurse] = await db<[{ id: string; email: string }]>`select id, email from users where email = 'nurse@example.com'`
const webhook = newId('whk')
await db`
  insert into webhooks (id, kind, environment, application_id, url, events, secrets_sealed)
  values (${webhook}, 'facility', 'sandbox', ${application}, 'https://receiver.example/hooks', '{all}', '\\x00')`
const [waiting, finished] = [newId('dlv'), newId('dlv')]
await db`
  insert into deliveries (id, webhook_id, environment, day, event_id, event_type, state)
  values (${waiting}, ${webhook}, 'sandbox', current_date, 'evt_found', 'shift.created', 'held')`
await db`
  insert into finished_deliveries (day, id, webhook_id, environment, event_id, event_type, directed, state, attempts, created_at)
  values (current_date - 1, ${finished}, ${webhook}, 'sandbox', 'evt_found', 'shift.created', false, 'failed', 10, now())`
// In one statement, so that both have the same day.
await db`
  with ids as (
    insert into event_ids (environment, id, body_hash, day) values ('sandbox', 'evt_found', '\\x00', current_date)
  )
  insert into events (day, environment, id, type, facility_id, body)
  values (current_date, 'sandbox', 'evt_found', 'shift.created', 'fac_sandbox_riverside', '{"private": "words"}')`

test('303 straight on for what only one thing goes by: a client id, a team, a request to support', async () => {
  const wanted = { firstParty: true }
  const request = await scene.ask(ann, { teamId: team, applicationId: application, setting: 'first-party', wanted })
  assert.equal((await find(` ${application} `)).location, desk(`/applications/${application}`))
  assert.equal((await find(team)).location, desk(`/teams/${team}`))
  assert.equal((await find(request)).location, desk(`/requests/${request}`))
})

test('each kind is found by its id or address, with what it belongs to, and never what an event says', async () => {
  const sandbox = { environment: 'sandbox', applicationId: application, teamId: team }
  const alone = { environment: null, applicationId: null, teamId: null }
  const person = { ...alone, kind: 'person', id: nurse.id, name: nurse.email, notes: ['Demo Nurse', 'NURSE_USER'] }
  const integrator = { ...alone, kind: 'integrator', id: ann.id, name: ann.email, notes: ['Ann Lee'] }
  const delivery = { ...sandbox, kind: 'delivery', name: 'shift.created' }
  const found: Array<[sought: string, hit: object]> = [
    [ann.email.toUpperCase(), integrator],
    [ann.id, integrator],
    ['Nurse@Example.com', person],
    [nurse.id, person],
    [
      'fac_sandbox_riverside',
      { ...alone, kind: 'facility', environment: 'sandbox', name: 'Riverside Care Center', notes: ['Portland', 'OR'] },
    ],
    [webhook, { ...sandbox, kind: 'webhook', name: 'https://receiver.example/hooks', notes: ['facility'] }],
    [
      'evt_found',
      { ...alone, kind: 'event', environment: 'sandbox', name: 'shift.created', notes: ['fac_sandbox_riverside'] },
    ],
    [waiting, { ...delivery, notes: ['held', webhook] }],
    [finished, { ...delivery, notes: ['failed', webhook] }],
  ]
  for (const [sought, hit] of found) {
    const id = sought.includes('@') ? {} : { id: sought }
    assert.deepEqual(await lookUp(db, sought), [{ exact: true, ...id, ...hit }], sought)
  }
})

test('200 by the beginning of a name, in any case; what stands for anything in SQL stands for itself', async () => {
  const odd = await scene.applicationCalled('100% rota_x', team)
  for (const [q, fact] of [
    ['night R', application],
    ['rota part', team],
    ['RIVERSIDE', 'fac_riverside'],
    ['100% rota_', odd],
  ] as const)
    assert.ok((await find(q)).text.includes(fact), q)
  for (const q of ['%ight', '100_ rota', '100% rotaXx', '\\', 'N']) {
    const { text } = await find(q)
    assert.ok(!text.includes(application) && !text.includes(odd), q)
  }
})

test('200: a request id leads to what was asked, refused and why', async () => {
  const answer = await fetch(`${scene.url}/oidc/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: scene.service.demo['OFF_CLIENT_ID'] ?? '',
      client_secret: scene.service.demo['OFF_CLIENT_SECRET'] ?? '',
      audience: scene.service.demo['API_AUDIENCE_SANDBOX'] ?? '',
    }),
  })
  const requestId = answer.headers.get('x-request-id') ?? ''
  await db`
    insert into request_log (day, id, at, request_id, application_id, method, path, status, error, reason, facts, duration_ms, network, left_out)
    values (current_date, ${newId('rql')}, now(), ${requestId}, ${application}, 'POST', '/oidc/oauth/token', 400,
            'unauthorized_client', 'client_credentials is off', '{}', 3, '127.0.0.0/24', 0)`
  const { text } = await find(requestId)
  for (const fact of ['unauthorized_client', 'client_credentials is off', `/support/audit?request=${requestId}`])
    assert.ok(text.includes(fact), fact)
})

test('200 that teaches what can be looked for: nothing, nothing found, anything odd or huge', async () => {
  for (const q of [
    '',
    ' ',
    'nobody@example.com',
    '\0',
    "' or 1=1 --",
    '<script>alert(1)</script>',
    'x'.repeat(5_000),
  ]) {
    const { status, text } = await find(q)
    assert.equal(status, 200, q.slice(0, 30))
    assert.match(text, /a client id, or the beginning/)
    assert.doesNotMatch(text, /<script>alert/)
  }
  assert.equal((await browser.get(desk('/find'))).status, 200)
})

test('a name among many is found by its index, also with a plan that was made before the name was known', async () => {
  await db`
    insert into facilities (environment, id, name)
    select 'sandbox', 'fac_many_' || n, 'Home ' || n from generate_series(1, 20000) as n`
  await db`analyze facilities`
  const plan = await db.begin(async (tx) => {
    await tx`set local plan_cache_mode = force_generic_plan`
    return tx`
      explain select id from facilities where lower(name collate "C") between ${'home 17'} and ${'home 17\u{10ffff}'}
      order by lower(name collate "C") limit 20`
  })
  assert.match(JSON.stringify(plan), /facilities_by_name/)
  const hits = await lookUp(db, 'hOME 1777')
  assert.deepEqual(
    hits.map(({ id }) => id).toSorted(),
    ['fac_many_1777', ...Array.from({ length: 10 }, (_, digit) => `fac_many_1777${digit}`)].toSorted(),
  )
})
