import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { apiAt, assertProblem } from '../harness/api-client.ts'
import { commandLineCalls, decide } from '../harness/command-line-scene.ts'
import { auditOf } from '../harness/portal-application.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { soon } from '../harness/soon.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at, url } = scene
const calls = commandLineCalls(scene)

async function startedTeam() {
  const ann = await scene.colleague('Ann Lee')
  const team = await scene.team('Rota', [[ann, 'owner']])
  const { application } = await scene.application(team)
  const browser = await scene.signedIn(ann)
  const page = (code: string) => at(`/teams/${team}/command-line?code=${code}`)
  return { ann, team, application, browser, page, keys: at(`/teams/${team}/applications/${application}/command-line`) }
}

const worksAt = async (token: string) => (await apiAt(url, token).get('/webhooks/facility')).status === 200
const endsSoon = (token: string) => soon(async () => !(await worksAt(token)))

test('a command logs in: a code to compare, a page that allows it, a key once, and tokens of the sandbox', async () => {
  const { team, application, browser, ann, keys } = await startedTeam()
  const begun = await calls.begin('anns-laptop')
  assert.match(begun.code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
  assert.equal(begun.url, `${url}/portal/command-line?code=${begun.code}`)
  assert.equal(begun.expiresIn, 600)
  assert.equal((await calls.ask(begun.secret)).text, '{"data":{"state":"waiting"}}')

  // The address leads a signed-in browser to a team of theirs, where it says who asks.
  const page = await browser.open(begun.url)
  assert.equal(new URL(page.url).pathname, `/portal/teams/${team}/command-line`)
  for (const shown of [begun.code, 'anns-laptop', 'Shift planner']) assert.ok(page.text.includes(shown), shown)
  const allowed = await decide(browser, page.url, 'allow', application)
  assert.equal(allowed.location, `${keys}?done=login-allowed`)

  const taken = await calls.ask(begun.secret)
  assert.equal(taken.status, 200, taken.text)
  const { data } = JSON.parse(taken.text)
  assert.deepEqual(data.application, { id: application, name: 'Shift planner' })
  assert.match(data.key, /^hck_[\w-]{43}$/)
  assert.equal(Math.round((Date.parse(data.expiresAt) - Date.now()) / 86_400_000), 90)
  assertProblem(await calls.ask(begun.secret), 404, 'not_found')

  const token = await calls.token(data.key)
  const claims = decodeJwt(token)
  assert.equal(claims.sub, `app:${application}`)
  assert.deepEqual(claims.aud, [scene.service.deps.config.audiences.sandbox, application])
  assert.equal(claims['scope'], 'marketplace:read marketplace:write')
  assert.ok(await worksAt(token))
  assert.deepEqual(await auditOf(scene, team), [
    {
      action: 'key.created',
      application_id: application,
      before: null,
      after: { application: 'Shift planner', computer: 'anns-laptop' },
    },
  ])
  const list = await browser.open(keys)
  for (const shown of ['anns-laptop', ann.email]) assert.ok(list.text.includes(shown), shown)
  assert.ok(!list.text.includes(data.key))
})

test('signing in first leads back to the code', async () => {
  const { ann, application, team } = await startedTeam()
  const begun = await calls.begin()
  const browser = new WebClient()
  const signIn = await browser.open(begun.url)
  const page = await browser.send(signIn, { email: ann.email, password: 'tangerine boat 7' })
  assert.ok(page.text.includes(begun.code))
  assert.ok(page.text.includes(application))
  assert.equal(new URL(page.url).pathname, `/portal/teams/${team}/command-line`)
})

test('429 for who asks again too soon, and the login is none the worse', async () => {
  const { browser, page, application } = await startedTeam()
  const begun = await calls.begin()
  assert.equal((await calls.post('/logins/answer', { secret: begun.secret })).status, 200)
  // However long this machine pauses here: by what was noted of the first question, the second comes too soon.
  const noted = await db`
    update command_line_logins set asked_at = asked_at + interval '1 minute'
    where user_code = ${begun.code.replace('-', '')} and asked_at is not null`
  assert.equal(noted.count, 1)
  const hasty = await calls.post('/logins/answer', { secret: begun.secret })
  assertProblem(hasty, 429, 'too_many_requests')
  assert.equal(hasty.headers.get('retry-after'), '2')
  await decide(browser, page(begun.code), 'allow', application)
  assert.equal((await calls.post('/logins/answer', { secret: begun.secret })).status, 200)
})

test('403 when it is denied, once, and whatever comes after is too late', async () => {
  const { browser, page, application, team } = await startedTeam()
  const begun = await calls.begin()
  const denied = await decide(browser, page(begun.code), 'deny')
  assert.equal(denied.location, at(`/teams/${team}/applications?done=login-denied`))
  const late = await browser.open(page(begun.code))
  assert.equal(late.status, 400)
  assertProblem(await calls.ask(begun.secret), 403, 'login_denied')
  assertProblem(await calls.ask(begun.secret), 404, 'not_found')
  assert.equal((await db`select 1 from command_line_keys where application_id = ${application}`).length, 0)
})

test('404 after ten minutes, and the page says that nothing waits', async () => {
  const { browser, page } = await startedTeam()
  const begun = await calls.begin()
  await db`update command_line_logins set expires_at = now() where user_code = ${begun.code.replace('-', '')}`
  assertProblem(await calls.ask(begun.secret), 404, 'not_found')
  const late = await browser.open(page(begun.code))
  assert.equal(late.status, 400)
  assert.match(late.text, /No login waits for this code/)
})

test('what is no application of the team, suspended, or without a sandbox cannot be chosen', async () => {
  const mine = await startedTeam()
  const theirs = await startedTeam()
  const begun = await calls.begin()
  const at400 = await decide(mine.browser, mine.page(begun.code), 'allow', theirs.application)
  assert.equal(at400.status, 400)
  assert.match(at400.text, /Choose an application/)
  const { application: stopped } = await scene.application(mine.team)
  await db`update applications set suspended_at = now() where id = ${stopped}`
  assert.equal((await decide(mine.browser, mine.page(begun.code), 'allow', stopped)).status, 409)
  const { application: live } = await scene.application(mine.team, { environments: ['production'] })
  assert.equal((await decide(mine.browser, mine.page(begun.code), 'allow', live)).status, 409)
  assert.equal((await calls.ask(begun.secret)).text, '{"data":{"state":"waiting"}}')
})

test('409 with twenty logins: in the page, and for the one that was allowed meanwhile', async () => {
  const { browser, page, application, ann } = await startedTeam()
  const begun = await calls.begin()
  await decide(browser, page(begun.code), 'allow', application)
  await db`
    insert into command_line_keys (id, application_id, integrator_id, key_hash, name, expires_at)
    select new_id('clk'), ${application}, ${ann.id}, sha256(n::text::bytea || ${application}::bytea), 'x', now() + interval '1 day'
    from generate_series(1, 20) as n`
  assertProblem(await calls.ask(begun.secret), 409, 'limit_reached')
  const another = await calls.begin()
  const full = await decide(browser, page(another.code), 'allow', application)
  assert.equal(full.status, 409)
  assert.match(full.text, /has 20 logins already/)
})

test('a key that is revoked in the portal ends, and its tokens within a second', async () => {
  const { browser, team, application, keys } = await startedTeam()
  const key = await calls.key(browser, team, application)
  const token = await calls.token(key)
  assert.ok(await worksAt(token))
  const [row] = await db<[{ id: string }]>`select id from command_line_keys where application_id = ${application}`
  const asked = await browser.open(`${keys}/${row.id}/revoke`)
  const form = asked.text.includes('Revoke the login')
  assert.ok(form)
  const done = await browser.follow(
    await browser.post(
      `${keys}/${row.id}/revoke`,
      { csrf: /name="csrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? '' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
    ),
  )
  assert.match(done.text, /No command line is logged in/)
  assert.ok(await endsSoon(token))
  assertProblem(await calls.post('/token', undefined, key), 401, 'unauthorized')
  assert.deepEqual(
    (await auditOf(scene, team)).map(({ action }) => action),
    ['key.created', 'key.revoked'],
  )
})

test('204: who holds the key gives it back; a second time it is unknown', async () => {
  const { browser, team, application } = await startedTeam()
  const key = await calls.key(browser, team, application)
  const token = await calls.token(key)
  assert.equal((await calls.giveBack(key)).status, 204)
  assertProblem(await calls.giveBack(key), 401, 'unauthorized')
  assert.ok(await endsSoon(token))
  assert.equal((await auditOf(scene, team)).at(-1)?.action, 'key.revoked')
})

const ENDS: Array<
  [title: string, end: (of: Awaited<ReturnType<typeof startedTeam>>) => Promise<unknown>, keyStays: boolean]
> = [
  [
    'leaves the team',
    ({ team, ann }) => db`delete from team_members where team_id = ${team} and integrator_id = ${ann.id}`,
    false,
  ],
  [
    'may only read',
    ({ team, ann }) =>
      db`update team_members set role = 'read-only' where team_id = ${team} and integrator_id = ${ann.id}`,
    false,
  ],
  ['has a new password', ({ ann }) => db`update integrators set password_hash = 'x' where id = ${ann.id}`, false],
  ['is gone', ({ ann }) => db`delete from integrators where id = ${ann.id}`, false],
  [
    'has an application that is deleted',
    ({ application }) => db`update applications set deleted_at = now() where id = ${application}`,
    true,
  ],
  [
    'has an application that is suspended',
    ({ application }) => db`update applications set suspended_at = now() where id = ${application}`,
    true,
  ],
]
for (const [title, end, keyStays] of ENDS) {
  test(`the login ends, and its tokens within a second, when who allowed it ${title}`, async () => {
    const started = await startedTeam()
    const key = await calls.key(started.browser, started.team, started.application)
    const token = await calls.token(key)
    assert.ok(await worksAt(token))
    await end(started)
    assert.ok(await endsSoon(token))
    assert.ok(await soon(async () => (await calls.post('/token', undefined, key)).status >= 400))
    const kept = await db`select 1 from command_line_keys where application_id = ${started.application}`
    assert.equal(kept.length, keyStays ? 1 : 0)
  })
}

test('403 for a login that was allowed by who lost the right before the command came', async () => {
  const { browser, page, application, team, ann } = await startedTeam()
  const begun = await calls.begin()
  await decide(browser, page(begun.code), 'allow', application)
  await db`update team_members set role = 'read-only' where team_id = ${team} and integrator_id = ${ann.id}`
  assertProblem(await calls.ask(begun.secret), 403, 'login_denied')
})

test('who may allow it nowhere is told so', async () => {
  const reader = await scene.colleague('Reader')
  const owner = await scene.colleague('Owner')
  await scene.team('Rota', [
    [owner, 'owner'],
    [reader, 'read-only'],
  ])
  const page = await (await scene.signedIn(reader)).open((await calls.begin()).url)
  assert.match(page.text, /You are in no team in which you may allow a command line/)
})

test('GET /command-line says where tokens are issued and how audiences are called', async () => {
  const answer = await fetch(`${url}/api/v2/public/command-line`)
  assert.deepEqual(await answer.json(), {
    data: {
      issuer: `${url}/oidc`,
      tokenEndpoint: `${url}/oidc/oauth/token`,
      audiences: scene.service.deps.config.audiences,
    },
  })
})
