import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, postForm, textOf } from '../harness/answer.ts'
import { auditOf, createByQuestions, shownBeside } from '../harness/portal-application.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at } = scene

const ann = await scene.colleague()
const browser = await scene.signedIn(ann)

test('with it come two facilities and a person of the sandbox, connected: its first webhook and sign-in work at once', async () => {
  const team = await scene.team('Rota', [[ann, 'owner']])
  const created = await createByQuestions(scene, browser, team, { kind: 'service', people: 'no' })
  const id = shownBeside(created, 'Client ID')
  const secret = shownBeside(created, 'Client secret')
  await db`update applications set client_credentials = true, password_grant = true where id = ${id}`
  const audience = 'urn:handover:api:sandbox'
  const client = { client_id: id, client_secret: secret, audience }
  const token = () => postForm(`${scene.url}/oidc/oauth/token`, { ...client, grant_type: 'client_credentials' })
  assert.ok(await soon(async () => (await token()).status === 200, PATIENCE_MS))
  const headers = {
    authorization: `Bearer ${textOf(await token(), 'access_token')}`,
    'content-type': 'application/json',
  }
  const body = { url: `${scene.service.demo['RECEIVER_URL']}/hook`, events: ['all'] }
  const webhook = await ask(`${scene.url}/api/v2/public/webhooks/facility`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(webhook.status, 201, JSON.stringify(webhook.body))
  const page = await browser.open(at(`/teams/${team}/applications/${id}`))
  const facilities = ['Riverside Test Hospital', 'Hillcrest Test Clinic'].map((name) => shownBeside(page, name))
  assert.match(JSON.stringify(webhook.body), new RegExp(facilities.toSorted().join('.*')))

  const person = { username: shownBeside(created, 'Test person'), password: shownBeside(created, 'Their password') }
  const signedIn = await postForm(`${scene.url}/oidc/oauth/token`, { ...client, ...person, grant_type: 'password' })
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body))
  const seen = await db`
    select facility_id from facility_access join users on users.id = user_id
    where email = ${person.username} and environment = 'sandbox' order by 1`
  assert.deepEqual(
    seen.map(({ facility_id }) => String(facility_id)),
    facilities.toSorted(),
  )
  const consent = await db`select 1 from consents where application_id = ${id} and audience = ${audience}`
  assert.equal(consent.length, 1, 'events about the test person reach the application')

  const other = await createByQuestions(scene, browser, team)
  const otherPage = await browser.open(at(`/teams/${team}/applications/${shownBeside(other, 'Client ID')}`))
  for (const facility of facilities) assert.ok(!otherPage.text.includes(facility), 'each has its own')
})

test('the test person begins anew: another password, and the one before is over', async () => {
  const team = await scene.team('Rota', [[ann, 'owner']])
  const created = await createByQuestions(scene, browser, team)
  const id = shownBeside(created, 'Client ID')
  const person = { email: shownBeside(created, 'Test person'), password: shownBeside(created, 'Their password') }
  const page = await browser.open(at(`/teams/${team}/applications/${id}`))
  assert.ok(!page.text.includes(person.password))
  const renewed = await submitTo(browser, page, '/test-person')
  assert.equal(renewed.status, 200)
  const password = shownBeside(renewed, 'Their new password')
  await db`update applications set password_grant = true where id = ${id}`
  const secret = shownBeside(created, 'Client secret')
  const signIn = (typed: string) =>
    postForm(`${scene.url}/oidc/oauth/token`, {
      grant_type: 'password',
      client_id: id,
      client_secret: secret,
      username: person.email,
      password: typed,
    })
  assert.ok(await soon(async () => (await signIn(password)).status === 200, PATIENCE_MS))
  assert.equal((await signIn(person.password)).status, 400)
  assert.equal((await auditOf(scene, team)).at(-1)?.action, 'sandbox.renewed')
  const { application } = await scene.application(team)
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const none = await browser.post(
    at(`/teams/${team}/applications/${application}/test-person`),
    { csrf },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(none.status, 404, 'an application without a test person')
})

test('429 for who makes passwords without end: everybody who signs in would wait for them', async () => {
  const bea = await scene.colleague()
  const team = await scene.team('Rota', [[bea, 'owner']])
  const her = await scene.signedIn(bea)
  const created = await createByQuestions(scene, her, team)
  const page = await her.open(at(`/teams/${team}/applications/${shownBeside(created, 'Client ID')}`))
  const answers = await Promise.all(Array.from({ length: 25 }, () => submitTo(her, page, '/test-person')))
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length >= 5 && refused.length <= 6, String(refused.length))
  assert.match(refused[0]?.text ?? '', /too much at once/)
  assert.equal((await createByQuestions(scene, her, team)).status, 429)
  assert.equal((await createByQuestions(scene, browser, await scene.team('Ward', [[ann, 'owner']]))).status, 200)
})
