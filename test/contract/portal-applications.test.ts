import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MOST_APPLICATIONS, MOST_WITH_DELETED } from '../../src/domain/applications/application-limit-store.ts'
import { findApplication } from '../../src/domain/applications/application-store.ts'
import { ask } from '../harness/answer.ts'
import {
  ANSWERS,
  auditOf,
  createByQuestions,
  fillTeam,
  shownBeside,
  startedTeam,
} from '../harness/portal-application.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { formsOf, type WebAnswer } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at } = scene

const newTeam = () => startedTeam(scene)

const countOf = async (team: string) =>
  (await db`select 1 from applications where team_id = ${team} and deleted_at is null`).length

test('an empty list teaches the first step, and who only reads is not sent where they may not go', async () => {
  const [ann, bob] = [await scene.colleague(), await scene.colleague()]
  const team = await scene.team('Rota', [
    [ann, 'owner'],
    [bob, 'read-only'],
  ])
  const hers = await (await scene.signedIn(ann)).open(at(`/teams/${team}/applications`))
  assert.match(hers.text, /There is no application yet[\s\S]*Create the first application/)
  const his = await (await scene.signedIn(bob)).open(at(`/teams/${team}/applications`))
  assert.match(his.text, /There is no application yet/)
  assert.doesNotMatch(his.text, /applications\/new/)
})

test('three questions, the type told back in plain words, and nothing is made before it is confirmed', async () => {
  const { team, browser } = await newTeam()
  const questions = await browser.open(at(`/teams/${team}/applications/new`))
  const table: Array<[Partial<typeof ANSWERS>, RegExp, string]> = [
    [{}, /<strong>Web application/, 'web'],
    [{ back_end: 'no' }, /<strong>Single-page application/, 'spa'],
    [{ kind: 'app' }, /<strong>App on a phone or computer/, 'native'],
    [{ kind: 'service', people: 'no' }, /<strong>Machine-to-machine application/, 'machine'],
  ]
  for (const [answers, words, type] of table) {
    const told = await submitTo(browser, questions, '/new', { ...ANSWERS, ...answers })
    assert.equal(told.status, 200)
    assert.match(told.text, words)
    assert.match(told.text, /Create Shift planner\?/)
    const before = await countOf(team)
    const again = await submitTo(browser, told, '/new', { step: 'change' })
    assert.equal(formsOf(again).find(({ action }) => action.endsWith('/new'))?.fields['name'], 'Shift planner')
    assert.equal(await countOf(team), before, 'nothing was made yet')
    const created = await submitTo(browser, told, '/new', { step: 'create' })
    assert.equal(created.status, 200, created.text)
    const application = await findApplication(db, shownBeside(created, 'Client ID'))
    assert.equal(application?.type, type)
    assert.equal(/<dt>Client secret<\/dt>/.test(created.text), type === 'web' || type === 'machine')
    assert.match(created.text, /What to do next/)
  }
  assert.equal(await countOf(team), 4)
})

test('400 at the question: unanswered, contradicting, without a name; and what was answered stays', async () => {
  const { team, browser } = await newTeam()
  const questions = await browser.open(at(`/teams/${team}/applications/new`))
  const tries: Array<[Record<string, string | null>, RegExp]> = [
    [{ name: ' ' }, /Give the application a name/],
    [{ name: 'x'.repeat(61) }, /Use at most 60 characters/],
    [{ name: 'abc\u202egpj' }, /cannot be shown/],
    [{ kind: null }, /id="kind-error">Choose one/],
    [{ kind: 'emperor' }, /id="kind-error">Choose one/],
    [{ back_end: null }, /id="back_end-error">Choose one/],
    [{ people: null }, /id="people-error">Choose one/],
    [{ kind: 'service', back_end: 'no' }, /id="back_end-error">A program without a screen/],
    [{ back_end: 'no', people: 'no' }, /id="people-error">Who acts for itself/],
  ]
  for (const [fields, words] of tries) {
    for (const step of ['check', 'create']) {
      const answer = await submitTo(browser, questions, '/new', { ...ANSWERS, ...fields, step })
      assert.equal(answer.status, 400)
      assert.match(answer.text, words)
      assert.match(answer.text, /aria-invalid="true"/)
    }
  }
  const kept = await submitTo(browser, questions, '/new', { ...ANSWERS, kind: null })
  assert.match(kept.text, /value="Shift planner"/)
  assert.match(kept.text, /name="back_end" value="yes" required checked/)
  assert.equal(await countOf(team), 0)
})

test('the secret is shown once: a reload makes no second one, it is in no address, and only its hash is stored', async () => {
  const { team, browser } = await newTeam()
  const questions = await browser.open(at(`/teams/${team}/applications/new`))
  const told = await submitTo(browser, questions, '/new', ANSWERS)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => submitTo(browser, told, '/new', { step: 'create' })),
  )
  const [shown, ...others] = answers.toSorted((one, other) => one.status - other.status)
  assert.ok(shown !== undefined && shown.status === 200)
  const [id, secret] = [shownBeside(shown, 'Client ID'), shownBeside(shown, 'Client secret')]
  assert.match(secret, /^[\w-]{43}$/)
  for (const other of others) {
    assert.equal(other.location, at(`/teams/${team}/applications/${id}?done=made-already`))
    assert.ok(!`${other.location}${other.text}`.includes(secret))
  }
  const page = await browser.open(others[0]?.location ?? '')
  assert.match(page.text, /was made already/)
  assert.ok(!page.text.includes(secret))
  assert.equal(await countOf(team), 1)
  assert.equal((await db`select 1 from application_secrets where application_id = ${id}`).length, 1)
  for (const table of ['application_secrets', 'audit_log', 'applications'])
    assert.ok((await db`select t::text as row from ${db(table)} t`).every(({ row }) => !String(row).includes(secret)))
  assert.ok(scene.service.logged.every((line) => !line.includes(secret)))
})

test('nobody chooses a Client ID, and a form of another session or team makes nothing', async () => {
  const [one, other] = [await newTeam(), await newTeam()]
  const told = await submitTo(
    one.browser,
    await one.browser.open(at(`/teams/${one.team}/applications/new`)),
    '/new',
    ANSWERS,
  )
  const made = formsOf(told).find(({ action }) => action.endsWith('/new'))?.fields['made'] ?? ''
  const theirs = await submitTo(
    other.browser,
    await other.browser.open(at(`/teams/${other.team}/applications/new`)),
    '/new',
    ANSWERS,
  )
  for (const forged of [made, 'app_00000000000000000000000000000000', '', null]) {
    const answer = await submitTo(other.browser, theirs, '/new', { step: 'create', made: forged })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /confirm once more/)
  }
  assert.equal(await countOf(other.team), 0)
})

test('the card has every address as discovery says it, and both audiences', async () => {
  const { team, browser } = await newTeam()
  const { application } = await scene.application(team)
  const page = await browser.open(at(`/teams/${team}/applications/${application}`))
  const discovery = await ask(shownBeside(page, 'Discovery'), {})
  const said: Array<[string, string]> = [
    ['Issuer', 'issuer'],
    ['Authorization', 'authorization_endpoint'],
    ['Token', 'token_endpoint'],
    ['User info', 'userinfo_endpoint'],
    ['Keys \\(JWKS\\)', 'jwks_uri'],
    ['Logout', 'end_session_endpoint'],
  ]
  for (const [label, name] of said) assert.equal(shownBeside(page, label), discovery.body[name])
  assert.equal(shownBeside(page, 'Client ID'), application)
  assert.equal(shownBeside(page, 'Audience, sandbox'), scene.service.demo['API_AUDIENCE_SANDBOX'])
  assert.equal(shownBeside(page, 'Audience, production'), scene.service.demo['API_AUDIENCE_PROD'])
  assert.equal(shownBeside(page, 'Public API'), `${scene.url}/api/v2/public`)
  await db`update applications set environments = '{sandbox}' where id = ${application}`
  const reduced = await browser.open(at(`/teams/${team}/applications/${application}`))
  assert.doesNotMatch(reduced.text, /Audience, production/)
})

test('newest first, page by page, and a cursor that is not ours counts as none', async () => {
  const { team, browser, list } = await newTeam()
  await fillTeam(scene, team, 30)
  // Ids sort by the millisecond they were made in.
  await sleep(2)
  const { application } = await scene.application(team, { name: 'The newest' })
  const first = await list()
  const idsIn = ({ text }: WebAnswer) =>
    [...text.matchAll(/<code class="small" data-copy>(app_\w+)/g)].map(([, id]) => id)
  assert.equal(idsIn(first)[0], application)
  const older = /href="([^"]+\?before=[^"]+)"/.exec(first.text)?.[1] ?? ''
  const second = await browser.open(scene.url + older)
  assert.deepEqual([idsIn(first).length, idsIn(second).length], [25, 6])
  assert.equal(new Set([...idsIn(first), ...idsIn(second)]).size, 31)
  assert.doesNotMatch(second.text, /\?before=/)
  for (const cursor of ['nonsense', "app_' or 1=1", '%00', ''])
    assert.deepEqual(
      idsIn(await browser.open(at(`/teams/${team}/applications?before=${encodeURIComponent(cursor)}`))),
      idsIn(first),
    )
})

test('409 at the limit, and of many at the same moment as many are made as there is room for', async () => {
  const { team, browser } = await newTeam()
  await fillTeam(scene, team, MOST_APPLICATIONS - 1)
  const questions = await browser.open(at(`/teams/${team}/applications/new`))
  const told = await Promise.all([1, 2, 3].map(() => submitTo(browser, questions, '/new', ANSWERS)))
  const made = await Promise.all(told.map((page) => submitTo(browser, page, '/new', { step: 'create' })))
  assert.deepEqual(
    made.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409, 409],
  )
  const refused = made.find(({ status }) => status === 409)
  assert.match(refused?.text ?? '', /at most 100 applications/)
  assert.match(refused?.text ?? '', /value="Shift planner"/)
  assert.equal(await countOf(team), MOST_APPLICATIONS)
  const orphans = await db`
    select 1 from users where made_in = 'sandbox' and id not in (select user_id from application_sandboxes)`
  assert.equal(orphans.length, 0, 'what was refused left nothing behind')
})

test('409: making and deleting does not go on for ever', async () => {
  const { team, browser } = await newTeam()
  await fillTeam(scene, team, MOST_WITH_DELETED, true)
  const refused = await createByQuestions(scene, browser, team)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /at most 200 applications with those that were deleted/)
})

test('another team’s application does not exist, wherever it is asked for', async () => {
  const [one, other] = [await newTeam(), await newTeam()]
  const { application, secret } = await scene.application(one.team)
  const paths = ['', '/settings', '/secrets', `/secrets/${secret}/revoke`, '/delete']
  for (const path of paths) {
    const url = at(`/teams/${other.team}/applications/${application}${path}`)
    assert.equal((await other.browser.get(url)).status, 404, path)
  }
  const { application: own } = await scene.application(other.team)
  const crossed = await other.browser.get(at(`/teams/${other.team}/applications/${own}/secrets/${secret}/revoke`))
  assert.equal(crossed.status, 404, 'another application’s secret')
})

test('what happens is written down: created with its secret, by whom, and in which request', async () => {
  const { ann, team, browser } = await newTeam()
  const created = await createByQuestions(scene, browser, team)
  const id = shownBeside(created, 'Client ID')
  assert.deepEqual(await auditOf(scene, team), [
    {
      action: 'application.created',
      application_id: id,
      before: null,
      after: { application: 'Shift planner', type: 'web' },
    },
    {
      action: 'secret.created',
      application_id: id,
      before: null,
      after: { application: 'Shift planner', secret: 'First secret' },
    },
  ])
  const rows = await db`select actor_id, request_id from audit_log where application_id = ${id}`
  for (const row of rows)
    assert.deepEqual([row['actor_id'], row['request_id']], [ann.id, created.headers.get('x-request-id')])
})

test('a page of the list is found by its index', async () => {
  const plan = await db.begin(async (tx) => {
    await tx`set local enable_seqscan = off`
    return tx`explain select id from applications where team_id = 'x' and deleted_at is null order by id desc limit 26`
  })
  const text = plan.map((row) => String(row['QUERY PLAN'])).join('\n')
  assert.match(text, /applications_of_team/)
  assert.doesNotMatch(text, /Sort/)
})
