import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { finishedRows } from '../harness/finished-rows.ts'
import { ANSWERS } from '../harness/portal-application.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import type { FormFields } from '../harness/web-client.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(scene.stop)
const { db, at, teamId, applicationId } = scene

const own = `/teams/${teamId}/applications/${applicationId}`
const { application: gone } = await scene.application(teamId, { name: 'Gone' })
await db`update applications set deleted_at = now() where id = ${gone}`
const [secret] = await db<[{ id: string }]>`
  select id from application_secrets where application_id = ${applicationId}`
const person = await scene.person()
await db`insert into application_sandboxes values (${applicationId}, ${person}, '{}')`
const webhook = await scene.webhook()
const disabled = await scene.webhook()
await db`update webhooks set disabled_because = 'by_request' where id = ${disabled}`
const [delivery = ''] = await finishedRows(db, 1, { webhookId: webhook, state: 'failed', attempts: 1 })
const hooks = `${own}/sandbox/webhooks`

/** The page that has the form, how the form's address ends, and what is filled in. */
const FORMS: Array<[page: string, ending: string, fields?: FormFields]> = [
  [`/teams/${teamId}/applications`, `/${gone}/restore`],
  [`${own}/settings`, '/settings', { name: 'Taken over' }],
  [`${own}/secrets`, '/secrets', { name: 'for later' }],
  [`${own}/secrets/${secret.id}/revoke`, '/revoke', { understood: 'on' }],
  [`${own}/delete`, '/delete', { name: 'Shift planner' }],
  [own, '/test-person'],
  [`${hooks}/new`, '/new', { url: 'https://elsewhere.example/hook' }],
  [`${hooks}/${webhook}/edit`, '/edit', { url: 'https://elsewhere.example/hook' }],
  [`${hooks}/${webhook}/delete`, '/delete'],
  [`${hooks}/${webhook}`, `${webhook}/secrets`],
  [`${hooks}/${webhook}`, '/secrets/add'],
  [`${hooks}/${webhook}/test`, '/test'],
  [`${hooks}/${webhook}/deliveries/${delivery}`, '/send'],
  [`${hooks}/${webhook}/replays/new?from=2020-01-01T00:00&to=2099-01-01T00:00&states.failed=on`, '/replays'],
  [`${hooks}/${webhook}`, '/disable'],
  [`${hooks}/${disabled}/enable`, '/enable'],
  [`/teams/${teamId}/name`, '/name', { name: 'Taken over' }],
]

for (const [path, ending, fields] of FORMS)
  test(`a form that is under way while its sender is removed changes nothing: ${ending}`, async () => {
    const bea = await scene.colleague('Bea')
    await db`insert into team_members (team_id, integrator_id, role) values (${teamId}, ${bea.id}, 'owner')`
    const browser = await scene.signedIn(bea)
    const page = await browser.open(at(path))
    const text = await whileRemoved(bea.id, () => submitTo(browser, page, ending, fields))
    assert.doesNotMatch(text, /a secret of the webhook|whsec_/)
    assert.deepEqual(await doneBy(bea.id), [])
  })

test('nor is an application made by who was removed meanwhile', async () => {
  const bea = await scene.colleague('Bea')
  await db`insert into team_members (team_id, integrator_id, role) values (${teamId}, ${bea.id}, 'developer')`
  const browser = await scene.signedIn(bea)
  const questions = await browser.open(at(`/teams/${teamId}/applications/new`))
  const told = await submitTo(browser, questions, '/new', { ...ANSWERS, name: 'Mine' })
  await whileRemoved(bea.id, () => submitTo(browser, told, '/new', { step: 'create' }))
  assert.deepEqual(await doneBy(bea.id), [])
  assert.equal((await db`select 1 from applications where name = 'Mine'`).length, 0)
})

test('who became a reader meanwhile changes nothing either', async () => {
  const bea = await scene.colleague('Bea')
  await db`insert into team_members (team_id, integrator_id, role) values (${teamId}, ${bea.id}, 'developer')`
  const browser = await scene.signedIn(bea)
  const page = await browser.open(at(`${own}/settings`))
  await whileHeld(
    (tx) => tx`update team_members set role = 'read-only' where team_id = ${teamId} and integrator_id = ${bea.id}`,
    () => submitTo(browser, page, '/settings', { name: 'Taken over' }),
  )
  assert.deepEqual(await doneBy(bea.id), [])
})

type Answering = () => Promise<{ status: number; text: string }>
type Tx = Parameters<Parameters<typeof db.begin>[1]>[0]

function whileRemoved(id: string, submit: Answering): Promise<string> {
  return whileHeld((tx) => tx`delete from team_members where team_id = ${teamId} and integrator_id = ${id}`, submit)
}

/** The form is sent, and waits, when the right to it is taken: the removal holds all that the form's work needs. */
async function whileHeld(change: (tx: Tx) => Promise<unknown>, submit: Answering): Promise<string> {
  const { sent } = await db.begin(async (tx) => {
    await tx`select 1 from teams where id = ${teamId} for update`
    await change(tx)
    await tx`select 1 from applications where team_id = ${teamId} for update`
    await tx`select 1 from webhooks where application_id = ${applicationId} for update`
    await tx`select 1 from application_sandboxes for update`
    const sending = submit()
    const waits = async () =>
      (await db`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length > 0
    assert.ok(await soon(waits, PATIENCE_MS), 'it does not wait for anything')
    return { sent: sending.then((answer) => answer.text) }
  })
  return sent
}

async function doneBy(id: string): Promise<string[]> {
  const rows = await db<Array<{ action: string }>>`
    select action from audit_log where actor_id = ${id} and team_id is not null order by id`
  return rows.map(({ action }) => action)
}
