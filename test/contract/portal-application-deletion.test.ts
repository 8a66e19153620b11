import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MOST_APPLICATIONS } from '../../src/domain/applications/application-limit-store.ts'
import { ask, postForm, textOf } from '../harness/answer.ts'
import { auditOf, createByQuestions, fillTeam, shownBeside, startedTeam } from '../harness/portal-application.ts'
import { pathOf, startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import type { WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at } = scene

const newTeam = () => startedTeam(scene)

test('deleted by typing its name: tokens are refused and webhooks stop within a second, until an owner restores it', async () => {
  const { team, browser, list } = await newTeam()
  const settings = { name: 'Night rota', type: 'machine', clientCredentials: true } as const
  const { application, clientSecret } = await scene.application(team, settings)
  const token = () =>
    postForm(`${scene.url}/oidc/oauth/token`, {
      grant_type: 'client_credentials',
      client_id: application,
      client_secret: clientSecret,
      audience: 'urn:handover:api:sandbox',
    })
  const access = textOf(await token(), 'access_token')
  const call = () =>
    ask(`${scene.url}/api/v2/public/webhooks/facility`, { headers: { authorization: `Bearer ${access}` } })
  assert.equal((await call()).status, 200)

  const page = await browser.open(at(`/teams/${team}/applications/${application}/delete`))
  for (const name of ['', 'night rota', 'Night rota!']) {
    const refused = await submitTo(browser, page, '/delete', { name })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /That is not its name/)
  }
  const answer = await submitTo(browser, page, '/delete', { name: ' Night rota ' })
  assert.equal(answer.location, at(`/teams/${team}/applications?done=application-deleted`))
  assert.ok(await soon(async () => (await token()).status === 401))
  assert.ok(await soon(async () => (await call()).status === 401))
  assert.equal((await browser.get(at(`/teams/${team}/applications/${application}`))).status, 404)
  assert.equal((await submitTo(browser, page, '/delete', { name: 'Night rota' })).status, 404, 'a second time')

  const restored = await browser.follow(await submitTo(browser, await list(), `/${application}/restore`))
  assert.equal(pathOf(restored), `/portal/teams/${team}/applications/${application}`)
  assert.ok(await soon(async () => (await token()).status === 200))
  assert.ok(await soon(async () => (await call()).status === 200))
  const log = await auditOf(scene, team)
  assert.deepEqual(
    log.map(({ action }) => action),
    ['application.deleted', 'application.restored'],
  )
})

test('restoring: not after thirty days, not over the limit, not another team’s, and not by a developer', async () => {
  const [one, other] = [await newTeam(), await newTeam()]
  const { application } = await scene.application(one.team)
  await db`update applications set deleted_at = now() where id = ${application}`
  const page = await one.list()
  const csrf = async (browser: WebClient, list: WebAnswer) =>
    ({ browser, csrf: /name="csrf" value="([^"]+)"/.exec(list.text)?.[1] ?? '' }) as const
  const theirs = await csrf(other.browser, await other.list())
  const stolen = await theirs.browser.post(
    at(`/teams/${other.team}/applications/${application}/restore`),
    { csrf: theirs.csrf },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(stolen.status, 404)
  await fillTeam(scene, one.team, MOST_APPLICATIONS)
  const full = await submitTo(one.browser, page, '/restore')
  assert.equal(full.status, 409)
  assert.match(full.text, /at most 100 applications/)
  await db`delete from applications where team_id = ${one.team} and name like 'Filler%'`
  await db`update applications set deleted_at = now() - interval '30 days 1 second' where id = ${application}`
  assert.equal((await submitTo(one.browser, page, '/restore')).status, 404)
  assert.doesNotMatch((await one.list()).text, new RegExp(application))
  await db`update applications set deleted_at = now() - interval '29 days' where id = ${application}`
  const developer = await scene.colleague()
  await db`insert into team_members (team_id, integrator_id, role) values (${one.team}, ${developer.id}, 'developer')`
  const seen = await (await scene.signedIn(developer)).open(at(`/teams/${one.team}/applications`))
  assert.match(seen.text, /An owner can restore them/)
  assert.doesNotMatch(seen.text, /\/restore"/)
  assert.equal((await submitTo(one.browser, page, '/restore')).status, 303)
})

test('nothing is sent to the webhooks of a deleted application; what came meanwhile is sent when it is restored', async () => {
  const { team, browser, list } = await newTeam()
  const created = await createByQuestions(scene, browser, team, { kind: 'service', people: 'no' })
  const application = shownBeside(created, 'Client ID')
  await db`update applications set client_credentials = true where id = ${application}`
  const token = () =>
    postForm(`${scene.url}/oidc/oauth/token`, {
      grant_type: 'client_credentials',
      client_id: application,
      client_secret: shownBeside(created, 'Client secret'),
      audience: 'urn:handover:api:sandbox',
    })
  assert.ok(await soon(async () => (await token()).status === 200, PATIENCE_MS))
  const send = (path: string, key: string, body: unknown) =>
    ask(scene.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const hook = { url: `${scene.service.demo['RECEIVER_URL']}/hook`, events: ['all'] }
  const access = textOf(await token(), 'access_token')
  assert.equal((await send('/api/v2/public/webhooks/facility', access, hook)).status, 201)

  const page = await browser.open(at(`/teams/${team}/applications/${application}/delete`))
  await submitTo(browser, page, '/delete', { name: 'Shift planner' })
  const [facility] = await db<Array<{ id: string }>>`
    select facility_id as id from facility_connections where application_id = ${application} limit 1`
  const event = { environment: 'sandbox', type: 'shift.created', facilityId: facility?.id, data: {} }
  const accepted = await send('/platform/v1/events', scene.service.demo['PLATFORM_KEY'] ?? '', event)
  assert.equal(accepted.status, 202, JSON.stringify(accepted.body))
  const ofOurs = db`(select id from webhooks where application_id = ${application})`
  const looked = async () =>
    (await db`select 1 from webhook_schedules where due_at = 'infinity' and webhook_id in ${ofOurs}`).length === 1
  assert.ok(await soon(looked, PATIENCE_MS), 'the worker has looked at it')
  assert.equal((await db`select 1 from deliveries where attempts = 0 and webhook_id in ${ofOurs}`).length, 1)

  await submitTo(browser, await list(), `/${application}/restore`)
  const delivered = async () =>
    (await db`select 1 from finished_deliveries where state = 'delivered' and webhook_id in ${ofOurs}`).length === 1
  assert.ok(await soon(delivered, PATIENCE_MS))
})
