import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { giveToTeam } from '../../src/domain/applications/application-team-store.ts'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { startDeliveryScene } from '../harness/delivery-scene.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { queueRows } from '../harness/queue-rows.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { agentsOf, signInAt } from '../harness/support-scene.ts'
import { actWithReason } from '../harness/support-steps.ts'
import type { WebAnswer } from '../harness/web-client.ts'

const scene = await startDeliveryScene()
after(scene.stop)
const { db, url } = scene
const desk = (path: string) => `${url}/support${path}`
const atDesk = await signInAt(url, await agentsOf(db, scene.service.deps)())

const ann = { id: newId('int'), email: 'ann@rota.example', name: 'Ann' }
await insertIntegrator(db, { ...ann, passwordHash: 'none' })
const team = newId('tem')
const doing = { actor: { kind: 'integrator', id: ann.id, name: ann.email }, requestId: null } as const
await insertTeam(db, { id: team, name: 'Rota Partners', ownerId: ann.id }, doing)

/** An application with one webhook in the sandbox that nothing is sent to but what a test writes there. */
async function silent() {
  const application = await scene.integrator({ name: 'Night rota' })
  await giveToTeam(db, team, [application.id])
  const [webhookId = ''] = await scene.webhooks({ application, environment: 'sandbox' }, 'facility', 1)
  await db`update webhooks set url = 'https://partner.example/hook?token=t0k3n' where id = ${webhookId}`
  return { application, webhookId }
}

const idsIn = ({ text }: WebAnswer) =>
  [...text.matchAll(/href="\/support\/deliveries\/(dlv_\w+)"/g)].map(([, id]) => id)
const list = (query: string) => atDesk.open(desk(`/deliveries?${query}`))

test('200 with those of every team, newest first; by webhook, application, event, environment and state', async () => {
  const [one, other] = [await silent(), await silent()]
  const [first = ''] = await finishedRows(db, 1, { webhookId: one.webhookId, hoursAgo: 2 })
  const [second = ''] = await finishedRows(db, 1, { webhookId: other.webhookId, state: 'failed', hoursAgo: 1 })
  const [third = ''] = await finishedRows(db, 1, { webhookId: one.webhookId, hoursAgo: 30 })
  assert.deepEqual(idsIn(await list('')), [second, first, third])
  assert.deepEqual(idsIn(await list(`webhook=${one.webhookId}`)), [first, third])
  assert.deepEqual(idsIn(await list(`application=${other.application.id}`)), [second])
  assert.deepEqual(idsIn(await list('state=failed')), [second])
  assert.deepEqual(idsIn(await list('state=cancelled')), [])
  assert.deepEqual(idsIn(await list('environment=sandbox')), [second, first, third])
  assert.deepEqual(idsIn(await list('environment=production')), [])
  assert.deepEqual(idsIn(await list(`webhook=${one.webhookId}&state=failed`)), [])
  const [event] = await db<[{ event_id: string }]>`select event_id from finished_deliveries where id = ${third}`
  assert.deepEqual(idsIn(await list(`event=${event.event_id}`)), [third])
  assert.deepEqual(idsIn(await list(`event=${event.event_id}&webhook=${other.webhookId}`)), [])
  const dayAgo = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 16)
  assert.deepEqual(idsIn(await list(`from=${dayAgo}`)), [second, first])
  assert.deepEqual(idsIn(await list(`to=${dayAgo}`)), [third])
  await db`delete from finished_deliveries`
})

test('303 to the delivery for its own id; 400 at the field for what is none, and for a time that cannot be read', async () => {
  const { webhookId } = await silent()
  const [id = ''] = await finishedRows(db, 1, { webhookId })
  assert.equal((await atDesk.get(desk(`/deliveries?delivery=${id}`))).location, desk(`/deliveries/${id}`))
  const wrong = await list('delivery=dlv_1&from=yesterday')
  assert.equal(wrong.status, 400)
  for (const field of ['delivery', 'from']) assert.match(wrong.text, new RegExp(`id="${field}-error"`))
  assert.match(wrong.text, /value="dlv_1"/)
  assert.equal((await atDesk.get(desk('/deliveries/dlv_1'))).status, 404)
  assert.equal((await atDesk.get(desk(`/deliveries/${newId('dlv')}`))).status, 404)
  for (const query of [
    'webhook=%00&application=%00',
    'event=%00',
    'state=%00&before=x',
    `webhook=${'x'.repeat(3_000)}`,
  ])
    assert.equal((await list(query)).status, 200, query)
  await db`delete from finished_deliveries`
})

test('303 from the one box: a delivery, a webhook and an event lead to their pages', async () => {
  const { webhookId } = await silent()
  const [id = ''] = await finishedRows(db, 1, { webhookId })
  const [event] = await db<[{ event_id: string }]>`select event_id from finished_deliveries where id = ${id}`
  const pages = {
    [id]: `/deliveries/${id}`,
    [webhookId]: `/webhooks/${webhookId}`,
    [event.event_id]: `/deliveries?event=${event.event_id}`,
  }
  for (const [sought, page] of Object.entries(pages))
    assert.equal((await atDesk.get(desk(`/find?q=${sought}`))).location, desk(page))
  await db`delete from finished_deliveries`
})

for (const where of ['everywhere', 'one webhook']) {
  test(`pages reach every one once, over several days: ${where}`, async () => {
    const { webhookId } = await silent()
    const ids: string[] = []
    for (const hoursAgo of [0, 1, 25, 49, 50, 75])
      ids.push(...(await finishedRows(db, hoursAgo === 25 ? 50 : 20, { webhookId, hoursAgo })))
    const seen: Array<string | undefined> = []
    for (let at: string | null = where === 'everywhere' ? '' : `webhook=${webhookId}`; at !== null; ) {
      const page: WebAnswer = await list(at)
      seen.push(...idsIn(page))
      at = /href="\/support\/deliveries\?([^"]*before=[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? null
      assert.ok(seen.length <= ids.length)
    }
    assert.deepEqual(seen, ids.toSorted().toReversed())
    await db`delete from finished_deliveries`
  })
}

test('what waits for a disabled webhook is held, and what waits for an enabled one is pending', async () => {
  const { webhookId } = await silent()
  const [id = ''] = await finishedRows(db, 1, { webhookId })
  await db`
    insert into deliveries (id, webhook_id, environment, day, event_id, event_type, due_at, created_at)
    select id, webhook_id, environment, day, event_id, event_type, now() + interval '1 hour', created_at
    from finished_deliveries where id = ${id}`
  await db`delete from finished_deliveries`
  assert.deepEqual(idsIn(await list('state=pending')), [id])
  await db`update webhooks set disabled_because = 'failing' where id = ${webhookId}`
  assert.deepEqual(idsIn(await list('state=pending')), [])
  const held = await list('state=held')
  assert.deepEqual(idsIn(held), [id])
  assert.match(held.text, /the webhook is disabled/)
  await db`delete from deliveries`
})

const HIDDEN = { body: '{"patient":"Zora"}', responseHead: 'x-inside: machine-7', responseBody: 'stack trace' }

test('payload, headers, answers and the query of a URL are hidden until revealed with a reason, which the team reads', async () => {
  const { webhookId, application } = await silent()
  const [id = ''] = await finishedRows(db, 1, { webhookId, ...HIDDEN, url: 'https://partner.example/hook?token=t0k3n' })
  const at = desk(`/deliveries/${id}`)
  const secrets = ['Zora', 'machine-7', 'stack trace', 't0k3n']
  const pages = [at, `${at}/reveal`, `${at}/send-again`, desk('/deliveries'), desk(`/webhooks/${webhookId}`)]
  for (const page of pages) {
    const { status, text } = await atDesk.open(page)
    assert.equal(status, 200)
    for (const words of secrets) assert.ok(!text.includes(words), `${words} at ${page}`)
  }
  const before = await fingerprint(db)
  const unreasoned = await actWithReason(atDesk, `${at}/reveal`, { reason: ' ' })
  assert.equal(unreasoned.status, 400)
  for (const words of secrets) assert.ok(!unreasoned.text.includes(words), words)
  assert.deepEqual(await fingerprint(db), before)

  const revealed = await actWithReason(atDesk, `${at}/reveal`, { reason: 'Ticket 12.' })
  assert.equal(revealed.status, 200)
  assert.equal(revealed.headers.get('cache-control'), 'no-store')
  for (const words of ['Zora', 'machine-7', 'stack trace', 't0k3n', 'webhook-id: evt_'])
    assert.ok(revealed.text.includes(words), words)
  assert.doesNotMatch(revealed.text, /v1,/)
  const [entry] = await db<[{ team_id: string; application_id: string; actor_kind: string; after: object }]>`
    select team_id, application_id, actor_kind, after from audit_log where action = 'delivery.revealed'`
  assert.deepEqual(
    { ...entry },
    {
      team_id: team,
      application_id: application.id,
      actor_kind: 'staff',
      after: { webhook: webhookId, environment: 'sandbox', delivery: id, reason: 'Ticket 12.' },
    },
  )
  assert.ok(!(await atDesk.open(at)).text.includes('Zora'), 'in that answer alone')
  for (const words of secrets) assert.ok(!scene.service.logged.some((line) => line.includes(words)))
})

test('a delivery of a webhook that is gone can be seen and revealed, and not sent', async () => {
  const { webhookId } = await silent()
  const [id = ''] = await finishedRows(db, 1, { webhookId, ...HIDDEN })
  await db`delete from webhooks where id = ${webhookId}`
  assert.match((await atDesk.open(desk(`/deliveries/${id}`))).text, /<span class="tag">gone<\/span>/)
  assert.match((await actWithReason(atDesk, desk(`/deliveries/${id}/reveal`))).text, /Zora/)
  assert.equal((await actWithReason(atDesk, desk(`/deliveries/${id}/send-again`))).status, 409)
})

test('sent again with a reason: one attempt more arrives, and the team reads why', async () => {
  const application = await scene.integrator()
  await giveToTeam(db, team, [application.id])
  const facility = await scene.facility('sandbox', application)
  const api = await scene.appApi(application, 'sandbox')
  const hook = await scene.hook(api)
  await scene.happen('sandbox', facility)
  assert.ok(await soon(async () => hook.arrivals.length === 1, PATIENCE_MS))
  const isFinished = async () =>
    (await db`select 1 from finished_deliveries where webhook_id = ${hook.id}`).length === 1
  assert.ok(await soon(isFinished, PATIENCE_MS))
  const [row] = await db<[{ id: string }]>`select id from finished_deliveries where webhook_id = ${hook.id}`
  const at = desk(`/deliveries/${row.id}`)
  const answer = await actWithReason(atDesk, `${at}/send-again`, { reason: 'They lost it.' })
  assert.equal(answer.location, `${at}?done=resent`)
  assert.ok(await soon(async () => hook.arrivals.length === 2, PATIENCE_MS))
  assert.ok(await soon(async () => (await atDesk.open(at)).text.includes('by hand'), PATIENCE_MS))
  const [entry] = await db<[{ team_id: string; after: Record<string, string> }]>`
    select team_id, after from audit_log where action = 'delivery.sent-again'`
  assert.deepEqual([entry.team_id, entry.after['reason'], entry.after['delivery']], [team, 'They lost it.', row.id])

  await db`update webhooks set disabled_because = 'by_request' where id = ${hook.id}`
  assert.doesNotMatch((await atDesk.open(at)).text, /send-again/)
  const refused = await actWithReason(atDesk, `${at}/send-again`)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /enable it first/)
})

test('a webhook: whose it is, how it fares; disabled and enabled with a reason, never its secrets', async () => {
  const { webhookId, application } = await silent()
  await finishedRows(db, 3, { webhookId })
  await db`
    update webhook_schedules set consecutive_failures = 12, failing_since = now(), probe_at = now() + interval '20 seconds'
    where webhook_id = ${webhookId}`
  await queueRows(db, 2, { webhookId, dueInSeconds: 7_200, attempts: 1 })
  const at = desk(`/webhooks/${webhookId}`)
  // A URL may break where it likes.
  const text = (await atDesk.open(at)).text.replaceAll('<wbr>', '')
  for (const fact of [
    'Night rota',
    'Rota Partners',
    'partner.example/hook',
    'circuit open',
    '3 delivered',
    '2 tried and not delivered yet',
    'next probe',
  ])
    assert.ok(text.includes(fact), fact)
  for (const words of ['a secret', 't0k3n']) assert.ok(!text.includes(words), words)
  const disabled = await actWithReason(atDesk, `${at}/disable`, { reason: 'They asked.' })
  assert.equal(disabled.location, `${at}?done=disabled`)
  assert.match((await atDesk.open(at)).text, /disabled: somebody disabled it/)
  assert.equal((await actWithReason(atDesk, `${at}/disable`)).location, `${at}?done=nothing`)
  assert.equal((await actWithReason(atDesk, `${at}/enable`, { reason: 'Back.', held: 'burn' })).status, 400)
  const enabled = await actWithReason(atDesk, `${at}/enable`, { reason: 'Back.', held: 'keep' })
  assert.equal(enabled.location, `${at}?done=enabled`)
  const entries = await db<Array<{ action: string; team_id: string; before: object; after: Record<string, string> }>>`
    select action, team_id, before, after from audit_log where application_id = ${application.id} order by id`
  assert.deepEqual(
    entries.map(({ action, team_id, after: { reason } }) => [action, team_id, reason]),
    [
      ['webhook.disabled', team, 'They asked.'],
      ['webhook.enabled', team, 'Back.'],
    ],
  )
  assert.equal((await atDesk.get(desk('/webhooks/whk_0'))).status, 404)
})
