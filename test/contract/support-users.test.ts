import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { allowScope } from '../../src/domain/consents/consent-store.ts'
import { grantAccess, upsertFacility } from '../../src/domain/facilities/facility-store.ts'
import { findTotp } from '../../src/domain/users/totp-store.ts'
import { addPerson } from '../harness/add-person.ts'
import { assertError } from '../harness/answer.ts'
import { FACILITY, NURSE, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { linkIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { enrol } from '../harness/one-time-codes.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { agentsOf, signInAt } from '../harness/support-scene.ts'
import { actsOn, actWithReason, confirmAgain } from '../harness/support-steps.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
beforeEach(() => scene.db`delete from failure_counts`)
const { db, url, nurse } = scene
const desk = (path = '') => `${url}/support/users/${nurse.id}${path}`
const ACCOUNT = `${url}/oidc/account`

const sam = await agentsOf(db, scene.service.deps)()
const atDesk = await signInAt(url, sam)
/** Everything but what is written down of requests, which comes a moment later. */
const everything = async () =>
  Object.entries(await fingerprint(db)).filter(([name]) => !/^(?:request_log|rate_buckets)/.test(name))
const isSignedIn = async (browser: WebClient) => (await browser.get(ACCOUNT)).status === 200

// Before any client secret was used: when it was is written down by itself, up to ten seconds later.
for (const act of ['end-sessions', 'unlock', 'reset-password', 'remove-second-factor']) {
  test(`400 without a reason, with one that cannot be shown or is too long, and nothing changed: ${act}`, async () => {
    const before = await everything()
    for (const reason of ['', '   ', 'turned \u202e around', 'x'.repeat(5_000)]) {
      const answer = await actWithReason(atDesk, desk(`/${act}`), { reason })
      assert.equal(answer.status, 400)
      assert.match(answer.text, /id="reason-error"/)
      assert.match(answer.text, /href="#reason"/)
    }
    assert.deepEqual(await everything(), before)
  })
}

test('200 with who they are, where they are signed in, what they allowed and may see; never anything of the password', async () => {
  const browser = await scene.signedIn()
  const application = await scene.application({ name: 'Night rota' })
  await allowScope(db, { userId: nurse.id, applicationId: application.id, audience: null }, ['openid', 'email'])
  await scene.grant(application)
  await upsertFacility(db, { environment: 'sandbox', id: 'fac_1', name: 'Hill Clinic', city: null, state: null })
  await grantAccess(db, { environment: 'sandbox', id: 'fac_1' }, nurse.id)
  const { status, text } = await atDesk.open(desk())
  assert.equal(status, 200)
  for (const fact of [nurse.id, NURSE, 'nurse', 'Night rota', 'openid', 'email', 'Hill Clinic', 'one refresh token'])
    assert.ok(text.includes(fact), fact)
  const [row] = await db<[{ hash: string }]>`select password_hash as hash from users where id = ${nurse.id}`
  assert.ok(!text.includes(row.hash) && !text.includes('argon2'))
  assert.ok(await isSignedIn(browser))
})

test('303 from the one box, by address and by id', async () => {
  for (const sought of [NURSE, nurse.id])
    assert.equal((await atDesk.get(`${url}/support/find?q=${sought}`)).location, desk())
})

test('404 for nobody, and for an id that is none', async () => {
  for (const id of ['usr_0', '%00', 'a%2Fb', "'", 'x'.repeat(250)])
    assert.ok([404, 400].includes((await atDesk.get(`${url}/support/users/${id}`)).status), id)
  assert.equal((await atDesk.get(desk('/end-session?session=ses_0'))).status, 404)
  assert.equal((await atDesk.get(desk('/withdraw?application=app_0'))).status, 404)
})

test('one session is ended by its reason, and the others go on; the log says who did it and why', async () => {
  const [one, other] = [await scene.signedIn(), await scene.signedIn()]
  const [newest] = await db<[{ sid: string }]>`
    select sid from sessions where user_id = ${nurse.id} and ended_at is null order by auth_time desc limit 1`
  const answer = await actWithReason(atDesk, desk(`/end-session?session=${newest.sid}`))
  assert.equal(answer.location, `${desk()}?done=session`)
  assert.deepEqual([await isSignedIn(one), await isSignedIn(other)], [true, false])
  const [entry] = await actsOn(db, nurse.id)
  assert.equal(entry?.action, 'person.session-ended')
  assert.equal(entry.actor_kind, 'staff')
  assert.deepEqual(entry.after, {
    email: NURSE,
    account: nurse.id,
    session: newest.sid,
    reason: 'They called us.',
  })
  assert.ok(entry.request_id)
  assert.match((await atDesk.open(desk())).text, /Person: session ended/)
})

test('another person’s session cannot be ended through this one’s page', async () => {
  const browser = await scene.signedIn(FACILITY)
  const [theirs] = await db<[{ sid: string }]>`
    select sid from sessions where user_id <> ${nurse.id} and ended_at is null order by auth_time desc limit 1`
  assert.equal((await atDesk.get(desk(`/end-session?session=${theirs.sid}`))).status, 404)
  assert.ok(await isSignedIn(browser))
})

test('all sessions are ended at once; a second time there is nothing to do, and nothing is written down', async () => {
  const browsers = [await scene.signedIn(), await scene.signedIn()]
  const answer = await actWithReason(atDesk, desk('/end-sessions'))
  assert.equal(answer.location, `${desk()}?done=sessions-ended`)
  for (const browser of browsers) assert.equal(await isSignedIn(browser), false)
  const before = (await actsOn(db, nurse.id)).length
  const again = await actWithReason(atDesk, desk('/end-sessions'))
  assert.equal(again.location, `${desk()}?done=nothing`)
  assert.equal((await actsOn(db, nurse.id)).length, before)
})

test('an application’s access is withdrawn: refresh and access tokens are dead, another application’s are not', async () => {
  const [application, other] = [await scene.application(), await scene.application()]
  const [grant, kept] = [await scene.grant(application), await scene.grant(other)]
  const answer = await actWithReason(atDesk, desk(`/withdraw?application=${application.id}`))
  assert.equal(answer.location, `${desk()}?done=withdrawn`)
  assertError(await scene.refresh(application, grant.refresh), 400, 'invalid_grant')
  assert.ok(await soon(async () => (await scene.userinfo(grant.access)).status === 401, PATIENCE_MS))
  assert.equal((await scene.userinfo(kept.access)).status, 200)
  const [entry] = await db<[{ application_id: string; team_id: string | null }]>`
    select application_id, team_id from audit_log where action = 'person.access-withdrawn'`
  assert.deepEqual({ ...entry }, { application_id: application.id, team_id: null })
})

test('whoever is locked out is unlocked and signs in at once; nobody else is', async () => {
  const wrong = async (login: string) => {
    const browser = new WebClient()
    return browser.submit(await browser.open(ACCOUNT), { username: login, password: 'wrong' })
  }
  for (let turn = 0; turn < 10; turn += 1) assert.equal((await wrong(NURSE)).status, 400)
  await db`
    insert into failure_counts (key, failures, window_ends_at)
    select replace(key, ${NURSE}, other), failures, window_ends_at
    from failure_counts, unnest(${[nurse.username ?? '', FACILITY]}::text[]) as other where key like ${`%${NURSE}%`}`
  const locked = new WebClient()
  assert.equal((await scene.signIn(locked, await locked.open(ACCOUNT))).status, 429)
  const page = await atDesk.open(desk())
  assert.match(page.text, /<span class="tag bad">locked<\/span>/)
  assert.match(page.text, /10 of 10/)
  assert.match(page.text, /10 of 100/)
  const answer = await actWithReason(atDesk, desk('/unlock'))
  assert.equal(answer.location, `${desk()}?done=unlocked`)
  assert.doesNotMatch((await atDesk.open(desk())).text, /class="tag bad"/)
  for (const login of [NURSE, nurse.username ?? '']) {
    const free = new WebClient()
    assert.equal((await scene.signIn(free, await free.open(ACCOUNT), login)).status, 200, login)
  }
  assert.equal((await wrong(FACILITY)).status, 429)
})

test('what somebody typed to look like another account’s address is not shown, and one-time codes are counted, too', async () => {
  await db`
    insert into failure_counts values
      (${`sign-in ${NURSE} from <b>x</b>`}, 9, now() + interval '5 minutes'),
      (${`sign-in ${NURSE} from 203.0.113.9`}, 3, now() + interval '5 minutes'),
      (${`sign-in ${NURSE}x from 203.0.113.8`}, 3, now() + interval '5 minutes'),
      (${`code of ${nurse.id}`}, 5, now() + interval '5 minutes'),
      (${`code of ${nurse.id} in a day`}, 5, now() + interval '5 minutes'),
      (${`code of ${nurse.id} in abc`}, 1, now() + interval '5 minutes'),
      (${`sign-in from 203.0.113.9`}, 300, now() + interval '5 minutes')`
  const { text } = await atDesk.open(desk())
  assert.ok(text.includes('203.0.113.9') && !text.includes('203.0.113.8') && !text.includes('&lt;b&gt;'))
  assert.equal(text.match(/One-time code/g)?.length, 3)
  assert.match(text, /5 of 5/)
  assert.match(text, /5 of 20/)
  await actWithReason(atDesk, desk('/unlock'))
  const left = await db<Array<{ key: string }>>`select key from failure_counts order by key collate "C"`
  assert.deepEqual(
    left.map(({ key }) => key),
    ['sign-in from 203.0.113.9', `sign-in ${NURSE}x from 203.0.113.8`],
  )
})

test('a forced reset: the password, sessions and tokens are useless at once, the link is in the mail alone', async () => {
  const browser = await scene.signedIn(FACILITY)
  const [person] = await db<[{ id: string }]>`select id from users where email = ${FACILITY}`
  const at = `${url}/support/users/${person.id}`
  const application = await scene.application()
  const grant = await scene.grant(application, { userId: person.id })
  const sent = (await mailsTo(url, FACILITY)).length
  const answer = await actWithReason(atDesk, `${at}/reset-password`)
  assert.equal(answer.location, `${at}?done=new-password`)
  assert.equal(await isSignedIn(browser), false)
  assertError(await scene.refresh(application, grant.refresh), 400, 'invalid_grant')
  assert.ok(await soon(async () => (await scene.userinfo(grant.access)).status === 401, PATIENCE_MS))
  const refused = new WebClient()
  assert.equal((await scene.signIn(refused, await refused.open(ACCOUNT), FACILITY)).status, 400)

  const mail = await nextMail(url, FACILITY, sent + 1)
  const link = linkIn(mail)
  const secret = new URL(link).searchParams.get('secret') ?? 'none'
  const page = await atDesk.open(at)
  for (const text of [answer.text, page.text]) assert.ok(!text.includes(secret))
  assert.ok(!scene.service.logged.some((line) => line.includes(secret)))
  assert.match(page.text, /<span class="tag">none<\/span>/)
  const [entry] = await actsOn(db, person.id)
  assert.deepEqual([entry?.action, entry?.after['reason']], ['person.password-reset', 'They called us.'])
  assert.ok(!JSON.stringify(entry).includes(secret))

  const theirs = new WebClient()
  assert.equal((await theirs.submit(await theirs.open(link), { password: 'quiet lemon 44' })).status, 200)
  assert.equal((await scene.signIn(theirs, await theirs.open(ACCOUNT), FACILITY, 'quiet lemon 44')).status, 200)
})

test('a second factor that was lost is removed, and its owner is told', async () => {
  const id = await addPerson(db, 'NURSE_USER')
  await enrol(scene.service, id)
  const at = `${url}/support/users/${id}`
  assert.match((await atDesk.open(at)).text, /remove-second-factor/)
  const answer = await actWithReason(atDesk, `${at}/remove-second-factor`, { reason: 'Showed their papers.' })
  assert.equal(answer.location, `${at}?done=factor-removed`)
  assert.equal(await findTotp(db, id), null)
  assert.doesNotMatch((await atDesk.open(at)).text, /remove-second-factor/)
  assert.match((await nextMail(url, `${id}@example.com`)).text, /removed the second factor/)
  const again = await actWithReason(atDesk, `${at}/remove-second-factor`)
  assert.equal(again.location, `${at}?done=nothing`)
  assert.equal((await actsOn(db, id)).length, 1)
})

test('what is sensitive asks again who it is, and then does it with the reason that was typed before', async () => {
  const id = await addPerson(db, 'NURSE_USER')
  await db`update users set password_hash = 'x' where id = ${id}`
  const late = await agentsOf(db, scene.service.deps)()
  const browser = await signInAt(url, late)
  await db`update staff_sessions set auth_time = now() - interval '11 minutes' where staff_id = ${late.id}`
  const at = `${url}/support/users/${id}/reset-password`
  const asked = await actWithReason(browser, at, { reason: 'Stolen laptop.' })
  assert.equal(asked.status, 200)
  const done = await confirmAgain(browser, asked, late.recoveryCodes[0] ?? '')
  assert.equal(done.location, `${url}/support/users/${id}?done=new-password`)
  assert.equal((await actsOn(db, id))[0]?.after['reason'], 'Stolen laptop.')
})

test('resets at the same moment all end well, and each is written down', async () => {
  const id = await addPerson(db, 'NURSE_USER')
  const at = `${url}/support/users/${id}/reset-password`
  const answers = await Promise.all(Array.from({ length: 5 }, () => actWithReason(atDesk, at)))
  for (const { status } of answers) assert.equal(status, 303)
  assert.equal((await actsOn(db, id)).length, 5)
})
