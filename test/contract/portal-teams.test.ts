import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeRole, leaveTeam, removeMember } from '../../src/domain/teams/member-store.ts'
import { may, type TeamRole } from '../../src/domain/teams/team.ts'
import { membersOf, teamsOf } from '../../src/domain/teams/team-store.ts'
import { linkIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import {
  type Colleague,
  newAddress,
  PORTAL_PASSWORD,
  pathOf,
  startPortalScene,
  submitTo,
} from '../harness/portal-scene.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

type Hosts = { ann: Colleague; browser: WebClient; team: string; page: () => Promise<WebAnswer> }

/** A team with one owner, who is at its page. */
async function hosts(name = 'Rota'): Promise<Hosts> {
  const ann = await scene.colleague()
  const team = await scene.team(name, [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  return { ann, browser, team, page: () => browser.open(scene.at(`/teams/${team}`)) }
}

/** Invites an address and answers the link in the mail. */
async function invite({ browser, page }: Hosts, email: string, role: TeamRole = 'developer'): Promise<string> {
  const answer = await submitTo(browser, await page(), '/invitations', { email, role })
  assert.equal(answer.status, 303, answer.text)
  return linkIn(await nextMail(scene.url, email))
}

async function rolesIn(team: string): Promise<Record<string, TeamRole>> {
  return Object.fromEntries((await membersOf(scene.db, team)).map(({ email, role }) => [email, role]))
}

test('303: somebody new is invited, signs up by the link, and is in that team and in no other', async () => {
  const host = await hosts('Night Shift')
  const email = newAddress()
  const link = await invite(host, email)
  const mail = await nextMail(scene.url, email)
  assert.ok(mail.text.includes(host.ann.email))
  assert.ok(!mail.text.includes('Night Shift'), 'no words of strangers in a mail')
  const browser = new WebClient()
  const offer = await browser.open(link)
  assert.match(offer.text, /Join Night Shift/)
  const signUp = /href="(\/portal\/sign-up\?[^"]+)"/.exec(offer.text)?.[1] ?? ''
  const form = await browser.open(scene.url + signUp)
  assert.ok(form.text.includes(`value="${email}"`), 'the address is filled in')
  const page = await scene.signUp(browser, email, scene.url + signUp)
  assert.equal(pathOf(page), `/portal/teams/${host.team}`)
  const member = (await membersOf(scene.db, host.team)).find((each) => each.email === email)
  assert.equal(member?.role, 'developer')
  assert.equal((await teamsOf(scene.db, member?.id ?? '')).length, 1)
  assert.equal((await new WebClient().open(link)).status, 400, 'the link is used up')
})

test('303: a known person signs in by the link, joins, and can switch between both teams', async () => {
  const host = await hosts()
  const bob = await scene.colleague('Bob')
  const own = await scene.team('Bob’s own', [[bob, 'owner']])
  const link = await invite(host, bob.email, 'read-only')
  const browser = new WebClient()
  const offer = await browser.open(link)
  const signIn = /href="(\/portal\/sign-in\?[^"]+)"/.exec(offer.text)?.[1] ?? ''
  const back = await browser.send(await browser.open(scene.url + signIn), {
    email: bob.email,
    password: PORTAL_PASSWORD,
  })
  assert.equal(pathOf(back), '/portal/join')
  const team = await browser.follow(await submitTo(browser, back, '/join'))
  assert.equal(pathOf(team), `/portal/teams/${host.team}`)
  assert.match(team.text, /Welcome to the team/)
  assert.equal((await rolesIn(host.team))[bob.email], 'read-only')
  for (const id of [own, host.team]) assert.ok(team.text.includes(`href="/portal/teams/${id}"`))
  await browser.open(scene.at(`/teams/${own}`))
  assert.equal(pathOf(await browser.open(scene.at(''))), `/portal/teams/${own}`, 'the one that was opened last')
})

test('an invitation is for its address alone: somebody else neither joins nor uses it up', async () => {
  const host = await hosts()
  const link = await invite(host, newAddress())
  const eve = await scene.colleague('Eve')
  const browser = await scene.signedIn(eve)
  const page = await browser.open(link)
  assert.match(page.text, /sent to another address/)
  const secret = new URL(link).searchParams.get('invitation') ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const forced = await browser.post(
    scene.at('/join'),
    { csrf, invitation: secret },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(forced.status, 400)
  assert.ok(!(eve.email in (await rolesIn(host.team))))
  const stranger = newAddress()
  const other = await scene.signUp(new WebClient(), stranger, scene.at(`/sign-up?invitation=${secret}`))
  assert.match(other.text, /New Comer’s team/, 'a newcomer with another address gets a team of their own')
  assert.equal((await new WebClient().open(link)).status, 200, 'and the link still works')
})

test('400 for a link that expired, was withdrawn, was sent again, or is used twice at once', async () => {
  const host = await hosts()
  const [late, gone, renewed] = [newAddress(), newAddress(), newAddress()]
  const lateLink = await invite(host, late)
  const [row] = await scene.db<[{ days: number }]>`
    select extract(epoch from expires_at - created_at)::float / 86400 as days from team_invitations where email = ${late}`
  assert.equal(Math.round(row.days), 7)
  await scene.db`update team_invitations set expires_at = now() where email = ${late}`
  assert.equal((await new WebClient().open(lateLink)).status, 400)

  const goneLink = await invite(host, gone)
  const idOf = async (email: string) =>
    (await scene.db<Array<{ id: string }>>`select id from team_invitations where email = ${email}`)[0]?.id ?? ''
  await submitTo(host.browser, await host.page(), '/withdraw', { invitation: await idOf(gone) })
  assert.equal((await new WebClient().open(goneLink)).status, 400)

  const first = await invite(host, renewed)
  await submitTo(host.browser, await host.page(), '/send-again', { invitation: await idOf(renewed) })
  const second = linkIn(await nextMail(scene.url, renewed, 2))
  assert.equal((await new WebClient().open(first)).status, 400)

  const bob = await scene.colleague('Bob')
  await scene.db`update team_invitations set email = ${bob.email}, email_folded = ${bob.email} where email = ${renewed}`
  const browser = await scene.signedIn(bob)
  const offer = await browser.open(second)
  const answers = await Promise.all(Array.from({ length: 4 }, () => submitTo(browser, offer, '/join')))
  assert.equal(answers.filter(({ status }) => status === 303).length, 1)
  const joined = await scene.db`
    select 1 from audit_log where team_id = ${host.team} and action = 'member.joined'`
  assert.equal(joined.length, 1)
})

test('400 at the field: nonsense, a member, or somebody who is invited already; and nothing is mailed', async () => {
  const host = await hosts()
  const email = newAddress()
  await invite(host, email)
  const page = await host.page()
  const tries: Array<[Record<string, string | null>, RegExp]> = [
    [{ email: 'nonsense', role: 'developer' }, /does not look like an e-mail/],
    [{ email: host.ann.email.toUpperCase(), role: 'developer' }, /belongs to a member/],
    [{ email: email.toUpperCase(), role: 'developer' }, /is invited already/],
    [{ email: newAddress(), role: null }, /Choose one/],
    [{ email: newAddress(), role: 'emperor' }, /Choose one/],
  ]
  for (const [fields, words] of tries) {
    const answer = await submitTo(host.browser, page, '/invitations', fields)
    assert.equal(answer.status, 400)
    assert.match(answer.text, words)
    assert.match(answer.text, /aria-invalid="true"/)
  }
  assert.equal((await mailsTo(scene.url, email)).length, 1)
})

test('only the hash of an invitation is stored', async () => {
  const host = await hosts()
  const secret = new URL(await invite(host, newAddress())).searchParams.get('invitation') ?? ''
  const rows = await scene.db`select team_invitations::text as row from team_invitations`
  assert.match(secret, /^[\w-]{43}$/)
  assert.ok(rows.every(({ row }) => !String(row).includes(secret)))
})

test('roles are changed and members removed by an owner; who is removed sees the team no more', async () => {
  const [ann, bob] = [await scene.colleague('Ann'), await scene.colleague('Bob')]
  const team = await scene.team('Rota', [
    [ann, 'owner'],
    [bob, 'developer'],
  ])
  const [browser, bobs] = [await scene.signedIn(ann), await scene.signedIn(bob)]
  const page = await browser.open(scene.at(`/teams/${team}/members/${bob.id}`))
  await submitTo(browser, page, '/role', { role: 'read-only' })
  assert.equal((await rolesIn(team))[bob.email], 'read-only')
  assert.equal((await bobs.get(scene.at(`/teams/${team}`))).status, 200)
  const removed = await submitTo(browser, page, '/remove')
  assert.equal(removed.location, scene.at(`/teams/${team}?done=removed`))
  assert.equal((await bobs.get(scene.at(`/teams/${team}`))).status, 404)
  assert.equal(
    pathOf(await bobs.open(scene.at(''))),
    '/portal/teams/new',
    'without a team the next step is to make one',
  )
})

test('an owner who is removed or steps down leaves no invitation standing by which to come back', async () => {
  for (const way of ['role', 'remove']) {
    const [ann, eve] = [await scene.colleague('Ann'), await scene.colleague('Eve')]
    const team = await scene.team('Rota', [
      [ann, 'owner'],
      [eve, 'owner'],
    ])
    const eves = await scene.signedIn(eve)
    const page = () => eves.open(scene.at(`/teams/${team}`))
    const link = await invite({ ann: eve, browser: eves, team, page }, newAddress(), 'owner')
    const browser = await scene.signedIn(ann)
    const member = await browser.open(scene.at(`/teams/${team}/members/${eve.id}`))
    assert.equal((await submitTo(browser, member, `/${way}`, { role: 'developer' })).status, 303)
    assert.equal((await new WebClient().open(link)).status, 400)
    const logged = await scene.db`
      select 1 from audit_log where team_id = ${team} and action = 'invitation.withdrawn' and actor_id = ${ann.id}`
    assert.equal(logged.length, 1)
  }
})

test('409: the last owner can neither leave, nor step down, nor be removed', async () => {
  const [ann, bob] = [await scene.colleague('Ann'), await scene.colleague('Bob')]
  const team = await scene.team('Rota', [
    [ann, 'owner'],
    [bob, 'developer'],
  ])
  const browser = await scene.signedIn(ann)
  const own = await browser.open(scene.at(`/teams/${team}/members/${ann.id}`))
  const down = await submitTo(browser, own, '/role', { role: 'developer' })
  assert.equal(down.status, 409)
  assert.match(down.text, /A team needs an owner/)
  const leave = await browser.open(scene.at(`/teams/${team}/leave`))
  assert.equal((await submitTo(browser, leave, '/leave')).status, 409)
  const csrf = /name="csrf" value="([^"]+)"/.exec(own.text)?.[1] ?? ''
  const forced = await browser.post(
    scene.at(`/teams/${team}/members/${ann.id}/remove`),
    { csrf },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(forced.status, 409)
  assert.deepEqual(await rolesIn(team), { [ann.email]: 'owner', [bob.email]: 'developer' })

  const other = await browser.open(scene.at(`/teams/${team}/members/${bob.id}`))
  await submitTo(browser, other, '/role', { role: 'owner' })
  assert.equal((await submitTo(browser, leave, '/leave')).status, 303)
  assert.deepEqual(await rolesIn(team), { [bob.email]: 'owner' })
})

test('two owners who go at the same moment, by any way: one stays, every time', async () => {
  const doing = { actor: { kind: 'command', id: null, name: 'test' }, requestId: null } as const
  const ways: Array<(team: string, who: string, other: string) => Promise<unknown>> = [
    (team, who) => leaveTeam(scene.db, team, who, doing),
    (teamId, who) => changeRole(scene.db, { teamId, memberId: who, askedBy: who }, 'read-only', doing),
    (teamId, who, other) => removeMember(scene.db, { teamId, memberId: other, askedBy: who }, doing),
  ]
  const [ann, bob] = [await scene.colleague(), await scene.colleague()]
  for (const one of ways) {
    for (const another of ways) {
      const team = await scene.team('Race', [
        [ann, 'owner'],
        [bob, 'owner'],
      ])
      await Promise.all([one(team, ann.id, bob.id), another(team, bob.id, ann.id)])
      assert.equal(Object.values(await rolesIn(team)).filter((role) => role === 'owner').length, 1)
    }
  }
})

test('a team is renamed, another is made, and no integrator is in more than twenty', async () => {
  const host = await hosts()
  const rename = await host.browser.open(scene.at(`/teams/${host.team}/name`))
  assert.equal((await submitTo(host.browser, rename, '/name', { name: '  ' })).status, 400)
  const renamed = await host.browser.follow(await submitTo(host.browser, rename, '/name', { name: 'Shift  Works' }))
  assert.match(renamed.text, /<h1>Shift Works<\/h1>/)
  const page = await host.browser.open(scene.at('/teams/new'))
  for (let more = 0; more < 19; more += 1)
    assert.equal((await submitTo(host.browser, page, '/teams/new', { name: `Team ${more}` })).status, 303)
  assert.equal((await submitTo(host.browser, page, '/teams/new', { name: 'One too many' })).status, 409)
})

test('what each role may do', () => {
  const table = {
    'team.see': [true, true, true],
    'team.leave': [true, true, true],
    'team.rename': [true, false, false],
    'member.invite': [true, false, false],
    'member.change': [true, false, false],
    'audit.see': [true, true, true],
  } as const
  const actions = ['team.see', 'team.leave', 'team.rename', 'member.invite', 'member.change', 'audit.see'] as const
  for (const action of actions)
    assert.deepEqual([may('owner', action), may('developer', action), may('read-only', action)], table[action], action)
})
