import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { apiAt, assertProblem } from '../harness/api-client.ts'
import { commandLineCalls, decide } from '../harness/command-line-scene.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { tablesWith } from '../harness/stored-bytes.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at, url } = scene
const calls = commandLineCalls(scene)
const ann = await scene.colleague('Ann Lee')
const team = await scene.team('Rota', [[ann, 'owner']])
const { application } = await scene.application(team)
const browser = await scene.signedIn(ann)
const page = (code: string) => at(`/teams/${team}/command-line?code=${code}`)

test('of commands that come for the same key at the same moment, one gets it', async () => {
  const begun = await calls.begin()
  await decide(browser, page(begun.code), 'allow', application)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => calls.post('/logins/answer', { secret: begun.secret })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, ...Array(7).fill(404)],
  )
})

test('of answers at the same moment, one counts', async () => {
  const begun = await calls.begin()
  const answers = await Promise.all(
    (['allow', 'deny', 'allow', 'deny'] as const).map((decision) =>
      decide(browser, page(begun.code), decision, application).catch(() => null),
    ),
  )
  assert.equal(answers.filter((each) => each?.status === 303).length, 1)
})

test('429 after twenty codes that nobody waits for; whose code waits is no failure', async () => {
  const eve = await scene.colleague('Eve')
  const hers = await scene.team('Guesses', [[eve, 'owner']])
  const guessing = await scene.signedIn(eve)
  const tries = (code: string) => guessing.get(at(`/teams/${hers}/command-line?code=${code}`))
  const { code } = await calls.begin()
  for (let tried = 0; tried < 3; tried += 1) assert.equal((await tries(code)).status, 200)
  for (let tried = 0; tried < 20; tried += 1) assert.equal((await tries('BBBBBBBB')).status, 400)
  assert.equal((await tries('BBBBBBBB')).status, 429)
  // Nor can they find one now.
  assert.equal((await tries(code)).status, 429)
})

test('429 for answering, too: a code that is tried by allowing it counts like one that is looked at', async () => {
  const eve = await scene.colleague('Eve')
  const hers = await scene.team('Guesses', [[eve, 'owner']])
  const { application: own } = await scene.application(hers)
  const guessing = await scene.signedIn(eve)
  const { code, secret } = await calls.begin()
  const form = await guessing.open(at(`/teams/${hers}/command-line?code=${code}`))
  const tries = (guess: string) =>
    submitTo(guessing, { ...form, text: form.text.replaceAll(code, guess) }, '/command-line', {
      decision: 'allow',
      application: own,
    })
  for (let tried = 0; tried < 20; tried += 1) assert.equal((await tries('BBBB-BBBB')).status, 400)
  assert.equal((await tries(code)).status, 429)
  assert.equal((await calls.ask(secret)).text, '{"data":{"state":"waiting"}}')
})

test('429 for an address that begins logins without end', async () => {
  await db`delete from failure_counts`
  await db`
    insert into failure_counts (key, failures, window_ends_at)
    select 'command line login from ' || address, 60, now() + interval '10 minutes'
    from (select distinct address from command_line_logins union values ('127.0.0.1'), ('::1')) as addresses`
  const refused = await calls.post('/logins', { name: 'x' })
  assertProblem(refused, 429, 'too_many_requests')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await db`delete from failure_counts`
})

test('neither key nor secret is stored or logged as it is', async () => {
  const begun = await calls.begin('secretive')
  await decide(browser, page(begun.code), 'allow', application)
  const { data } = JSON.parse((await calls.ask(begun.secret)).text)
  await calls.token(data.key)
  await calls.giveBack(data.key)
  const { secret } = await calls.begin()
  for (const hidden of [data.key, data.key.slice(4), begun.secret, secret]) {
    assert.ok(!scene.service.logged.some((line) => line.includes(hidden)))
    assert.deepEqual(await tablesWith(db, hidden), [])
  }
})

test('a key is no access token, and an access token no key', async () => {
  const key = await calls.key(browser, team, application)
  assertProblem(await apiAt(url, key).get('/webhooks/facility'), 401, 'invalid_token')
  const token = await calls.token(key)
  assertProblem(await calls.post('/token', undefined, token), 401, 'unauthorized')
  assertProblem(await calls.post('/token'), 401, 'unauthorized')
  for (const wrong of [`hck_${'x'.repeat(43)}`, 'hck_', `${key}x`])
    assertProblem(await calls.post('/token', undefined, wrong), 401, 'unauthorized')
})

test('its tokens see the sandbox of their application and nothing else', async () => {
  const { application: other } = await scene.application(team)
  const token = await calls.token(await calls.key(browser, team, application))
  const theirs = await calls.token(await calls.key(browser, team, other))
  const body = { url: 'https://partner.example/hook', events: ['all'], secrets: [] }
  const made = await apiAt(url, theirs).post('/webhooks/user', body)
  assert.equal(made.status, 201, made.text)
  const { data } = JSON.parse(made.text)
  assert.equal((await apiAt(url, token).get(`/webhooks/user/${data.id}`)).status, 404)
  assert.equal((await apiAt(url, theirs).get(`/webhooks/user/${data.id}`)).status, 200)
})

test('what a computer calls itself cannot dress up the page', async () => {
  for (const name of ['<b>Support</b>', '\u202eevil', 'a\nb', '', ' '.repeat(50), 'x'.repeat(255)]) {
    const { code } = await calls.begin(name)
    const { text } = await browser.get(page(code))
    assert.ok(!text.includes('<b>Support') && !text.includes('\u202e'))
  }
  assertProblem(await calls.post('/logins', { name: 'x'.repeat(256) }), 422, 'wrong_fields')
  assertProblem(await calls.post('/logins', { name: 7 }), 422, 'wrong_fields')
  assertProblem(await calls.post('/logins', { name: 'x', admin: true }), 422, 'wrong_fields')
  assertProblem(await calls.post('/logins/answer', { secret: 'x' }), 404, 'not_found')
})
