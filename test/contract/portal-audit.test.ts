import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AUDIT_ACTIONS, TEAM_ACTIONS } from '../../src/domain/audit/audit.ts'
import { appendAudit, auditOfTeam } from '../../src/domain/audit/audit-store.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { linkIn, nextMail } from '../harness/demo-mail.ts'
import { newAddress, PORTAL_PASSWORD, startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const [ann, bob] = [await scene.colleague('Ann'), await scene.colleague('Bob')]
const team = await scene.team('Rota', [
  [ann, 'owner'],
  [bob, 'developer'],
])
const browser = await scene.signedIn(ann)

type Row = { action: string; actor: string; before: unknown; after: unknown; request_id: string | null }
const logged = () => scene.db<Row[]>`
  select action, actor_name as actor, before, after, request_id from audit_log where team_id = ${team} order by id`

test('every change of a team is written down with who, before, after and the request', async () => {
  const email = newAddress()
  const at = (path: string) => browser.open(scene.at(`/teams/${team}${path}`))
  const answers = [
    await submitTo(browser, await at('/name'), '/name', { name: 'Rota Two' }),
    await submitTo(browser, await at(''), '/invitations', { email, role: 'read-only' }),
    await submitTo(browser, await at(''), '/send-again'),
    await submitTo(browser, await at(`/members/${bob.id}`), '/role', { role: 'owner' }),
  ]
  const link = linkIn(await nextMail(scene.url, email, 2))
  await scene.signUp(new WebClient(), email, link.replace('/join', '/sign-up'))
  const bobs = await scene.signedIn(bob)
  await submitTo(bobs, await bobs.open(scene.at(`/teams/${team}/leave`)), '/leave')

  const rows = (await logged()).slice(1)
  assert.deepEqual(
    rows.map(({ action, actor, before, after: is }) => ({ action, actor, before, after: is })),
    [
      { action: 'team.renamed', actor: ann.email, before: { name: 'Rota' }, after: { name: 'Rota Two' } },
      { action: 'member.invited', actor: ann.email, before: null, after: { email, role: 'read-only' } },
      { action: 'invitation.sent-again', actor: ann.email, before: null, after: { email, role: 'read-only' } },
      {
        action: 'member.role-changed',
        actor: ann.email,
        before: { email: bob.email, role: 'developer' },
        after: { email: bob.email, role: 'owner' },
      },
      { action: 'member.joined', actor: email, before: null, after: { email, role: 'read-only' } },
      { action: 'member.left', actor: bob.email, before: { email: bob.email, role: 'owner' }, after: null },
    ],
  )
  assert.deepEqual(
    rows.slice(0, 4).map(({ request_id }) => request_id),
    answers.map(({ headers }) => headers.get('x-request-id')),
  )
})

test('what changes nothing is not written down', async () => {
  const before = (await logged()).length
  await submitTo(browser, await browser.open(scene.at(`/teams/${team}/name`)), '/name', { name: 'Rota Two' })
  const own = await browser.open(scene.at(`/teams/${team}/members/${ann.id}`))
  await submitTo(browser, own, '/role', { role: 'owner' })
  assert.equal((await submitTo(browser, own, '/role', { role: 'developer' })).status, 409)
  assert.equal((await logged()).length, before)
})

test('an account’s own changes are written down, are no team’s to read, and hold no secret', async () => {
  const page = await browser.open(scene.at('/account'))
  await submitTo(browser, page, '/account/name', { name: 'Ann Lee' })
  const fields = { password: PORTAL_PASSWORD, new_password: 'another long secret' }
  await submitTo(browser, await browser.open(scene.at('/account/password')), '/password', fields)
  const rows = await scene.db<Array<{ action: string; team_id: string | null; row: string }>>`
    select action, team_id, audit_log::text as row from audit_log where actor_id = ${ann.id} and action like 'account.%' order by id`
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['account.renamed', 'account.password-changed'],
  )
  for (const { team_id, row } of rows) {
    assert.equal(team_id, null)
    for (const secret of [...Object.values(fields), 'argon2']) assert.ok(!row.includes(secret))
  }
})

test('a change that is rolled back leaves no entry', async () => {
  const before = (await logged()).length
  const doing = { actor: { kind: 'command', id: null, name: 'test' }, requestId: null } as const
  const entry = { ...doing, teamId: team, applicationId: null, before: null, after: null }
  const broken = transaction(scene.db, async (tx) => {
    await appendAudit(tx, { ...entry, action: 'team.renamed' })
    throw new Error('broken')
  })
  await assert.rejects(broken)
  assert.equal((await logged()).length, before)
})

test('200: newest first, fifty at a time, older by cursor, filtered by action', async () => {
  const filled = await scene.team('Busy', [[ann, 'owner']])
  await scene.db`
    insert into audit_log (id, actor_kind, actor_name, team_id, action, before, after)
    select 'aud_' || lpad(to_hex(n), 32, '0'), 'integrator', 'somebody', ${filled},
           case when n % 2 = 0 then 'member.joined' else 'member.left' end, null, jsonb_build_object('email', 'n' || n || '@example.com')
    from generate_series(1, 120) as n`
  const seen: string[] = []
  let url: string | null = scene.at(`/teams/${filled}/audit?action=member.joined`)
  let pages = 0
  while (url !== null) {
    const page = await browser.get(url)
    assert.equal(page.status, 200)
    seen.push(...[...page.text.matchAll(/n(\d+)@example\.com/g)].map(([, n = '']) => n))
    const older: string | undefined = /href="([^"]*before=[^"]+)"/.exec(page.text)?.[1]
    url = older === undefined ? null : scene.url + older.replaceAll('&amp;', '&')
    pages += 1
  }
  assert.equal(pages, 2)
  assert.deepEqual(
    seen,
    Array.from({ length: 60 }, (_, n) => String(120 - 2 * n)),
  )
  const empty = await browser.get(scene.at(`/teams/${filled}/audit?action=team.renamed`))
  assert.match(empty.text, /Nothing of this kind/)
  const odd = await browser.get(
    scene.at(`/teams/${filled}/audit?action=nonsense&before=${encodeURIComponent("' or 1")}`),
  )
  assert.equal(odd.status, 200, 'a filter that we did not write counts as none')
})

test('a page of a long log is found by its index, with and without a filter', async () => {
  // It is long, and other teams have done much more of the same.
  await scene.db`
    insert into audit_log (id, actor_kind, actor_name, team_id, action)
    select 'aud_' || md5(n::text), 'command', 'others', case when n % 10 = 0 then ${team} else 'tem_' || n % 500 end, 'member.left' from generate_series(1, 20000) as n`
  await scene.db`analyze audit_log`
  for (const action of [null, 'member.left' as const]) {
    const plan = await scene.db`
      explain select id from audit_log
      where team_id = ${team} ${action === null ? scene.db`` : scene.db`and action = ${action}`}
      order by id desc limit 51`
    const text = plan.map((row) => String(row['QUERY PLAN'])).join('\n')
    assert.match(text, /audit_log_of_team/)
    assert.doesNotMatch(text, /Sort/)
  }
})

test('the team’s log names only what happens to teams', async () => {
  assert.ok(TEAM_ACTIONS.length < AUDIT_ACTIONS.length)
  const { rows } = await auditOfTeam(scene.db, team, { action: null, before: null, limit: 100 })
  assert.ok(rows.every(({ action }) => TEAM_ACTIONS.includes(action)))
})
