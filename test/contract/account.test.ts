import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findUser } from '../../src/domain/users/user-store.ts'
import { assertError, textOf } from '../harness/answer.ts'
import { FACILITY, NURSE, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { type FormFields, formsOf, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url, password } = scene
const ACCOUNT = `${url}/oidc/account`

/** Sends the form of a page that posts there, the one with these hidden values if there are several. */
async function press(
  browser: WebClient,
  page: WebAnswer,
  path: string,
  fields: FormFields = {},
  hidden: Record<string, string> = {},
): Promise<WebAnswer> {
  const form = formsOf(page).find(
    ({ action, fields: sent }) =>
      action === url + path && Object.entries(hidden).every(([name, value]) => sent[name] === value),
  )
  assert.ok(form, `no form for ${path}: ${page.text}`)
  return browser.post(form.action, { ...form.fields, ...fields })
}

function assertDone(answer: WebAnswer, done: string): void {
  assert.equal(answer.status, 303, answer.text)
  assert.equal(answer.location, `${ACCOUNT}?done=${done}`)
}

const isSignedIn = async (browser: WebClient) => (await browser.get(ACCOUNT)).status === 200

test('303 to the sign-in page for whoever is not signed in, and back here afterwards', async () => {
  for (const path of ['', '/profile', '/password', '/two-factor', '/two-factor/set-up', '/two-factor/turn-off']) {
    const browser = new WebClient()
    const asked = await browser.get(ACCOUNT + path)
    assert.equal(asked.status, 303)
    const page = await browser.follow(asked)
    const account = await scene.signIn(browser, page)
    assert.equal(account.url, ACCOUNT)
    assert.equal(pathOf(account), '/oidc/account')
    assertPageHeaders(account)
  }
})

test('200 with who the person is: name, e-mail, role, and nothing of it as markup', async () => {
  const browser = await scene.signedIn(FACILITY)
  await db`update users set name = '<b>"Eve"</b>', nickname = '<i>' where email = ${FACILITY}`
  const page = await browser.get(ACCOUNT)
  assert.ok(page.text.includes('&lt;b&gt;&quot;Eve&quot;&lt;/b&gt;'))
  assert.doesNotMatch(page.text, /<b>|<i>/)
  assert.ok(page.text.includes(FACILITY))
  assert.ok(page.text.includes('Facility user'))
  await db`update users set name = 'Demo Facility', nickname = null where email = ${FACILITY}`
})

test('200 with a notice only for what we know how to say', async () => {
  const browser = await scene.signedIn()
  assert.match((await browser.get(`${ACCOUNT}?done=profile`)).text, /role="status">Your profile is saved/)
  for (const done of ['<script>', 'toString', '__proto__', '', 'nothing'])
    assert.doesNotMatch(
      (await browser.get(`${ACCOUNT}?done=${encodeURIComponent(done)}`)).text,
      /role="status"|<script>/,
    )
})

test('303 for a profile that is right: applications see it, and a new phone number is not verified', async () => {
  await db`update users set phone_number_verified = true where id = ${scene.nurse.id}`
  const browser = await scene.signedIn()
  const page = await browser.get(`${ACCOUNT}/profile`)
  const same = await browser.submit(page, { name: ' Nora  Nurse ', nickname: '', picture: 'https://img.example/n.png' })
  assertDone(same, 'profile')
  const kept = await findUser(db, scene.nurse.id)
  assert.deepEqual([kept?.name, kept?.nickname, kept?.phoneNumberVerified], ['Nora Nurse', null, true])
  assert.ok((await browser.get(ACCOUNT)).text.includes('src="https://img.example/n.png"'))

  assertDone(await browser.submit(page, { phone_number: '+1 (555) 010-7777', city: 'Salem', state: 'OR' }), 'profile')
  const { access } = await scene.grant(await scene.application(), {
    scope: ['openid', 'phone', 'address', 'offline_access'],
  })
  const { body } = await scene.userinfo(access)
  assert.equal(body['phone_number'], '+15550107777')
  assert.partialDeepStrictEqual(body['address'], { city: 'Salem', state: 'OR' })
  assert.equal((await findUser(db, scene.nurse.id))?.phoneNumberVerified, false)
})

test('400 for a profile that is not, with what was typed and the fields at fault; nothing is saved', async () => {
  const browser = await scene.signedIn()
  const page = await browser.get(`${ACCOUNT}/profile`)
  const before = await findUser(db, scene.nurse.id)
  const answer = await browser.submit(page, { name: ' ', picture: 'javascript:alert("1")', city: 'Bend' })
  assert.equal(answer.status, 400)
  assert.match(answer.text, /id="name-error"/)
  assert.match(answer.text, /aria-describedby="picture-hint picture-error"/)
  assert.ok(answer.text.includes('value="javascript:alert(&quot;1&quot;)"') && answer.text.includes('value="Bend"'))
  assert.deepEqual(await findUser(db, scene.nurse.id), before)
})

test('303 for a profile changes no e-mail, role, username or other person, whatever is sent', async () => {
  const browser = await scene.signedIn()
  const [others, before] = [await findOthers(), await findUser(db, scene.nurse.id)]
  const page = await browser.get(`${ACCOUNT}/profile`)
  const tempting = { id: 'x', user_id: 'x', sub: 'x', email: 'x@example.com', role: 'FACILITY_USER', username: 'x' }
  assertDone(await browser.submit(page, tempting), 'profile')
  assert.deepEqual(await findOthers(), others)
  assert.deepEqual(await findUser(db, scene.nurse.id), before)
})

test('400 for a password change with a wrong current one or a bad new one; nothing changes', async () => {
  const [here, there] = [await scene.signedIn(), await scene.signedIn()]
  const page = await here.get(`${ACCOUNT}/password`)
  const wrong = await here.submit(page, { password: 'not it', new_password: 'correct horse battery' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /id="password-error"/)
  for (const bad of ['short', '12345678', 'nurse@example.com', 'x'.repeat(129), '']) {
    const answer = await here.submit(page, { password, new_password: bad })
    assert.equal(answer.status, 400, bad)
    assert.match(answer.text, /id="new_password-error"/)
    assert.ok(!answer.text.includes(`value="${password}"`))
  }
  assert.ok(await isSignedIn(there))
})

test('303 for a new password: other sessions, codes, refresh and access tokens end; this browser stays; a mail tells', async () => {
  const [here, there] = [await scene.signedIn(FACILITY), await scene.signedIn(FACILITY)]
  const bystander = await scene.signedIn()
  const facility = await db<
    [{ id: string; hash: string }]
  >`select id, password_hash as hash from users where email = ${FACILITY}`
  const userId = facility[0].id
  const application = await scene.application()
  const { access, refresh } = await scene.grant(application, { userId })
  const code = await scene.code(application, { userId })
  const fresh = 'correct horse battery'
  assertDone(await here.submit(await here.get(`${ACCOUNT}/password`), { password, new_password: fresh }), 'password')

  assert.equal(await isSignedIn(there), false)
  assert.ok(await isSignedIn(here))
  assert.ok(await isSignedIn(bystander), 'somebody else')
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  assert.ok(await soon(async () => (await scene.userinfo(access)).status === 401))
  const again = await there.open(ACCOUNT)
  assert.equal((await scene.signIn(there, again, FACILITY)).status, 400, 'the old password')
  assert.equal(pathOf(await scene.signIn(there, again, FACILITY, fresh)), '/oidc/account')
  assert.ok(
    await soon(
      async () => (await here.get(`${url}/demo/mailbox`)).text.includes('password for Handover was changed'),
      PATIENCE_MS,
    ),
  )
  await db`update users set password_hash = ${facility[0].hash} where id = ${userId}`
})

test('connected applications: what they may do in plain words, which environment, since when; revoked within a second', async () => {
  const here = await scene.signedIn()
  const colleague = 'nurse2@example.com'
  const other = await scene.signedIn(colleague)
  const name = 'Rota <Planner>'
  const application = await scene.client({ name, logoUrl: 'https://img.example/logo.png' })
  const request = { scope: 'openid email offline_access marketplace:read', audience: 'urn:handover:api:sandbox' }
  const granted = []
  const began = new Date()
  for (const [browser, login] of [
    [here, NURSE],
    [other, colleague],
  ] as const) {
    const { fields } = await scene.arrive(browser, application, request, login)
    granted.push(
      await scene.exchange(application, fields['code'] ?? '', { redirect_uri: 'https://client.example/callback' }),
    )
  }
  const [mine, theirs] = granted
  assert.ok(mine && theirs)
  const page = await here.get(ACCOUNT)
  for (const words of ['Rota &lt;Planner&gt;', 'sandbox data', 'Read shifts and facilities', 'See your e-mail address'])
    assert.ok(page.text.includes(words), words)
  const days = [began, new Date()].map((day) => `<time datetime="${day.toISOString().slice(0, 10)}`)
  assert.ok(days.some((day) => page.text.includes(day)))
  const waiting = (await scene.arrive(here, application, request)).fields['code'] ?? ''

  const revoke = '/oidc/account/applications/revoke'
  assertDone(await press(here, page, revoke, {}, { application: application.id }), 'application')
  assert.ok(await soon(async () => (await scene.userinfo(textOf(mine, 'access_token'))).status === 401))
  assertError(await scene.refresh(application, textOf(mine, 'refresh_token')), 400, 'invalid_grant')
  const late = await scene.exchange(application, waiting, { redirect_uri: 'https://client.example/callback' })
  assertError(late, 400, 'invalid_grant')
  assert.ok(!(await here.get(ACCOUNT)).text.includes('Rota'))
  assert.equal(pathOf(await scene.visit(here, application, request)), '/oidc/consent', 'asked again')

  assert.equal((await scene.userinfo(textOf(theirs, 'access_token'))).status, 200, 'somebody else’s is not touched')
  assert.equal((await scene.refresh(application, textOf(theirs, 'refresh_token'))).status, 200)
  assert.ok((await other.get(ACCOUNT)).text.includes('Rota'))
})

test('sessions: this browser is marked, one can be ended and its cookie is dead, all others too', async () => {
  const [here, second, third] = [await scene.signedIn(), await scene.signedIn(), await scene.signedIn()]
  const stranger = await scene.signedIn(FACILITY)
  const page = await here.get(ACCOUNT)
  assert.equal(page.text.match(/this browser/g)?.length, 1)
  const end = '/oidc/account/sessions/end'
  const sidOf = async (browser: WebClient) => {
    const others = formsOf(await browser.get(ACCOUNT)).flatMap(({ fields }) => fields['session'] ?? [])
    const all = await db<Array<{ sid: string }>>`
      select sid from sessions where user_id = ${scene.nurse.id} and ended_at is null`
    return all.find(({ sid }) => !others.includes(sid))?.sid ?? ''
  }
  const secondSid = await sidOf(second)
  assertDone(await press(here, page, end, {}, { session: secondSid }), 'session')
  assert.equal(await isSignedIn(second), false)
  assert.ok(await isSignedIn(third))

  const [strangers] = await db<[{ sid: string }]>`
    select sid from sessions join users on users.id = user_id where email = ${FACILITY} and ended_at is null order by auth_time desc`
  assertDone(await press(here, page, end, { session: strangers.sid }, { session: await sidOf(third) }), 'session')
  assert.ok(await isSignedIn(stranger), 'a session of somebody else cannot be ended')

  assertDone(await press(here, await here.get(ACCOUNT), '/oidc/account/sessions/end-others'), 'sessions')
  assert.equal(await isSignedIn(third), false)
  assert.ok(await isSignedIn(here))
  assert.ok(await isSignedIn(stranger))
})

test('signing out from the page ends the session', async () => {
  const browser = await scene.signedIn()
  const copy = browser.copy()
  const answer = await press(browser, await browser.get(ACCOUNT), '/oidc/logout/confirm')
  assert.match(answer.text, /You are signed out/)
  assert.equal(await isSignedIn(copy), false)
})

test('403 for every form without its token, and nothing changed', async () => {
  const browser = await scene.signedIn()
  await scene.signedIn()
  await scene.arrive(browser, await scene.client({ name: 'Kept' }))
  const pages = await Promise.all(
    ['', '/profile', '/password', '/two-factor/set-up'].map((path) => browser.get(ACCOUNT + path)),
  )
  const forms = pages.flatMap(formsOf)
  assert.ok(forms.length >= 7, forms.map(({ action }) => action).join())
  const before = await ofPeople()
  for (const { action, fields } of forms) {
    const typed = {
      ...fields,
      name: 'Forged',
      password,
      new_password: 'correct horse battery',
      code: '123456',
      csrf: null,
    }
    assert.equal((await browser.post(action, typed)).status, 403, action)
  }
  assert.deepEqual(await ofPeople(), before)
})

/** Not every table: what applications did before may still be settled in the background. */
async function ofPeople(): Promise<unknown> {
  const { users, sessions, consents, totp_secrets, recovery_codes, refresh_families } = await fingerprint(db)
  return { users, sessions, consents, totp_secrets, recovery_codes, refresh_families }
}

async function findOthers(): Promise<unknown> {
  return db`select * from users where id <> ${scene.nurse.id} order by id`
}
