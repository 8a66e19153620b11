import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { markPending, startInteraction } from '../../src/domain/sessions/interaction-store.ts'
import { rememberBrowser } from '../../src/domain/sessions/known-browser-store.ts'
import { setNewPassword } from '../../src/domain/sessions/new-password-store.ts'
import { findUserByLogin } from '../../src/domain/users/user-store.ts'
import { assertError } from '../harness/answer.ts'
import { arrivalOf, assertErrorPage, FACILITY, NURSE, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { type Authenticator, calmMoment, codeOf, enrol } from '../harness/one-time-codes.ts'
import { onlyForm, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url, password } = scene
const facility = await findUserByLogin(db, FACILITY)
assert.ok(facility)
const phone = await enrol(scene.service, scene.nurse.id)
const facilityPhone = await enrol(scene.service, facility.user.id)

beforeEach(async () => {
  await db`update totp_secrets set last_step = 0`
  await db`delete from failure_counts`
  await db`delete from known_browsers`
})

/** A browser at the page that asks for the code, after the right password. */
async function atCode(login = NURSE): Promise<{ browser: WebClient; page: WebAnswer }> {
  const browser = new WebClient()
  const page = await scene.signIn(browser, await browser.open(`${url}/oidc/account`), login)
  assert.equal(new URL(page.url).pathname, '/oidc/totp', page.text)
  return { browser, page }
}

/** The same without the cost of a password, in a browser that the person used before, or not. */
async function atCodeQuickly(
  { userId }: Authenticator,
  known: boolean,
): Promise<{ browser: WebClient; page: WebAnswer }> {
  const browser = new WebClient()
  const id = randomBytes(32).toString('base64url')
  browser.setCookie(url, 'handover-browser', id)
  if (known) await rememberBrowser(db, userId, id)
  const interaction = await startInteraction(db, id, null)
  await markPending(db, interaction, userId)
  return { browser, page: await browser.get(`${url}/oidc/totp?interaction=${interaction}`) }
}

const isSignedIn = async (browser: WebClient) => (await browser.get(`${url}/oidc/account`)).status === 200
const signsIn = ({ status, location }: WebAnswer) =>
  status === 303 && new URL(location ?? url).pathname === '/oidc/continue'

test('the password alone starts no session, and no address skips the code', async () => {
  const { browser, page } = await atCode()
  assert.equal(browser.cookie(url, 'handover-session'), undefined)
  const interaction = new URL(page.url).searchParams.get('interaction')
  const continued = await browser.open(`${url}/oidc/continue?interaction=${interaction}`)
  assert.equal(new URL(continued.url).pathname, '/oidc/login')
  assert.equal(await isSignedIn(browser), false)
})

test('the right code signs in, at the application that waits too', async () => {
  const { browser, page } = await atCode()
  const done = await browser.send(page, { code: codeOf(phone) })
  assert.equal(new URL(done.url).pathname, '/oidc/account')
  assert.ok(done.text.includes(NURSE))

  const application = await scene.client({ firstParty: true })
  const other = new WebClient()
  const asked = await scene.signIn(other, await scene.visit(other, application))
  const code = codeOf(phone, 1)
  const arrival = arrivalOf(await other.send(asked, { code: `${code.slice(0, 3)} ${code.slice(3)}` }))
  assert.ok(arrival.fields['code'])
})

test('another browser can neither see nor answer the question', async () => {
  const { browser, page } = await atCode()
  const stranger = new WebClient()
  assertErrorPage(await stranger.get(page.url), 'interaction_expired')
  const own = await stranger.open(`${url}/oidc/account`)
  const fields = {
    csrf: onlyForm(own).fields['csrf'] ?? null,
    interaction: onlyForm(page).fields['interaction'] ?? null,
  }
  assertErrorPage(await stranger.post(`${url}/oidc/totp`, { ...fields, code: codeOf(phone) }), 'interaction_expired')
  assert.equal(await isSignedIn(stranger), false)
  assert.ok(signsIn(await browser.submit(page, { code: codeOf(phone) })), 'and nothing was used up')
})

test('a code without the password leads to the password', async () => {
  const browser = new WebClient()
  const page = await browser.open(`${url}/oidc/account`)
  const { fields } = onlyForm(page)
  for (const answer of [
    await browser.get(page.url.replace('/login', '/totp')),
    await browser.post(`${url}/oidc/totp`, { ...fields, code: codeOf(phone) }),
  ]) {
    assert.equal(answer.status, 303)
    assert.equal(new URL(answer.location ?? url).pathname, '/oidc/login')
  }
  assert.equal(await isSignedIn(browser), false)
})

test('the question is good for five minutes, and a new password ends it', async () => {
  const passwordHash = (await findUserByLogin(db, NURSE))?.passwordHash
  assert.ok(passwordHash)
  for (const end of [
    () => db`update interactions set pending_until = now() where pending_user_id = ${phone.userId}`,
    () => setNewPassword(db, { userId: phone.userId, passwordHash, exceptSid: null }),
  ]) {
    const { browser, page } = await atCodeQuickly(phone, true)
    const [row] = await db<[{ seconds: number }]>`
      select extract(epoch from max(pending_until) - now())::float8 as seconds from interactions`
    assert.ok(row.seconds > 290 && row.seconds <= 300)
    await end()
    const late = await browser.submit(page, { code: codeOf(phone) })
    assert.equal(new URL(late.location ?? url).pathname, '/oidc/login')
    assert.equal(await isSignedIn(browser), false)
  }
})

test('a code works once, also in another browser', async () => {
  const code = codeOf(phone)
  const first = await atCode()
  assert.ok(signsIn(await first.browser.submit(first.page, { code })))
  const second = await atCode()
  const refused = await second.browser.submit(second.page, { code })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /used already/)
  assert.equal(await isSignedIn(second.browser), false)
})

test('of 32 uses of one code at the same moment one signs in', async () => {
  const all = await Promise.all(Array.from({ length: 32 }, () => atCodeQuickly(phone, true)))
  const code = codeOf(phone)
  const answers = await Promise.all(all.map(({ browser, page }) => browser.submit(page, { code })))
  assert.equal(answers.filter(signsIn).length, 1)
  assert.equal(answers.filter(({ status }) => status === 400).length, 31)
  const signedIn = await Promise.all(all.map(({ browser }) => isSignedIn(browser)))
  assert.equal(signedIn.filter(Boolean).length, 1)
})

test('a clock may differ by one step of 30 seconds, no more', async () => {
  for (const [drift, taken] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const { browser, page } = await atCodeQuickly(phone, true)
    await calmMoment()
    assert.equal(signsIn(await browser.submit(page, { code: codeOf(phone, drift) })), taken, `${drift}`)
  }
  const { browser, page } = await atCodeQuickly(phone, true)
  assert.equal(signsIn(await browser.submit(page, { code: codeOf(phone, -1) })), false, 'older than one that was used')
})

test('429 from the sixth wrong code on, for the right one too; other people and known browsers are not affected', async () => {
  for (let guess = 1; guess <= 5; guess += 1) {
    const { browser, page } = await atCodeQuickly(phone, false)
    assert.equal((await browser.submit(page, { code: '12345' })).status, 400)
  }
  const { browser, page } = await atCodeQuickly(phone, false)
  const refused = await browser.submit(page, { code: codeOf(phone) })
  assert.equal(refused.status, 429)
  assert.match(refused.text, /Wait a quarter of an hour/)
  const recovery = await browser.submit(page, { recovery_code: phone.recoveryCodes[9] ?? '' })
  assert.equal(recovery.status, 429)

  const known = await atCodeQuickly(phone, true)
  assert.ok(signsIn(await known.browser.submit(known.page, { code: codeOf(phone) })), 'the person at their own browser')
  const other = await atCodeQuickly(facilityPhone, false)
  assert.ok(signsIn(await other.browser.submit(other.page, { code: codeOf(facilityPhone) })), 'somebody else')
})

test('64 wrong codes at the same moment: five are looked at', async () => {
  const all = await Promise.all(Array.from({ length: 64 }, () => atCodeQuickly(phone, false)))
  const answers = await Promise.all(all.map(({ browser, page }) => browser.submit(page, { code: '12345' })))
  assert.equal(answers.filter(({ status }) => status === 400).length, 5)
  assert.equal(answers.filter(({ status }) => status === 429).length, 59)
})

test('a recovery code works once, typed in any case, only for its owner, and one of 32 uses at the same moment', async () => {
  const [first = '', second = '', third = ''] = phone.recoveryCodes
  const typed = first.toLowerCase().replaceAll('-', ' ')
  const { browser, page } = await atCode()
  const asked = await browser.get(`${page.url}&with=recovery`)
  assert.match(asked.text, /name="recovery_code"/)
  assert.ok(signsIn(await browser.submit(asked, { recovery_code: typed })))
  assert.ok(await isSignedIn(browser))

  const again = await atCodeQuickly(phone, true)
  assert.equal((await again.browser.submit(again.page, { recovery_code: first })).status, 400)
  const stranger = await atCodeQuickly(facilityPhone, true)
  assert.equal((await stranger.browser.submit(stranger.page, { recovery_code: second })).status, 400)
  assert.ok(signsIn(await again.browser.submit(again.page, { recovery_code: second })), 'it was not used up by that')

  const all = await Promise.all(Array.from({ length: 32 }, () => atCodeQuickly(phone, true)))
  const answers = await Promise.all(all.map((each) => each.browser.submit(each.page, { recovery_code: third })))
  assert.equal(answers.filter(signsIn).length, 1)
})

test('a code of another person is no code', async () => {
  const { browser, page } = await atCodeQuickly(phone, true)
  assert.equal((await browser.submit(page, { code: codeOf(facilityPhone) })).status, 400)
})

test('403 without our token, with another browser’s, or from another site; the code stays good', async () => {
  const { browser, page } = await atCodeQuickly(phone, true)
  const other = await atCodeQuickly(phone, true)
  const code = codeOf(phone)
  const foreign = onlyForm(other.page).fields['csrf'] ?? null
  for (const answer of [
    await browser.submit(page, { code, csrf: null }),
    await browser.submit(page, { code, csrf: foreign }),
    await browser.submit(page, { code }, { 'sec-fetch-site': 'cross-site' }),
    await browser.submit(page, { code }, { origin: 'https://elsewhere.example' }),
  ])
    assertErrorPage(answer, 'form_expired', 403)
  assert.ok(signsIn(await browser.submit(page, { code })))
})

test('the password grant: invalid_grant that says why, to who has the password and nobody else', async () => {
  const application = await scene.application({ passwordGrant: true })
  const tokens = (fields: Record<string, string>) =>
    scene.token(application, { grant_type: 'password', username: NURSE, password, ...fields })
  const right = await tokens({})
  assertError(right, 400, 'invalid_grant')
  assert.match(String(right.body['error_description']), /one-time code.*authorize/)
  const wrong = await tokens({ password: 'wrong' })
  const unknown = await tokens({ username: 'nobody@example.com' })
  assertError(wrong, 400, 'invalid_grant')
  assert.equal(wrong.text, unknown.text)
  assert.equal((await tokens({ username: 'nurse2@example.com' })).status, 200)
})

test('neither secret nor codes are readable in the database or in the log', async () => {
  const stored = await db<Array<{ sealed: string; hashes: string }>>`
    select string_agg(encode(secret_sealed, 'hex'), ' ') as sealed,
           (select string_agg(encode(code_hash, 'hex'), ' ') from recovery_codes) as hashes
    from totp_secrets`
  const { sealed = '', hashes = '' } = stored[0] ?? {}
  assert.ok(!sealed.includes(phone.secret.toString('hex')))
  const { browser, page } = await atCodeQuickly(phone, true)
  const code = codeOf(phone)
  await browser.submit(page, { code })
  const logged = scene.service.logged.join('\n')
  for (const recoveryCode of phone.recoveryCodes) {
    assert.ok(!hashes.includes(Buffer.from(recoveryCode).toString('hex')))
    assert.ok(!logged.includes(recoveryCode))
  }
  assert.ok(!logged.includes(`"${code}"`) && !logged.includes(`code=${code}`))
})
