import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCipher } from '../../src/platform/cipher.ts'
import { createPasswordHasher } from '../../src/platform/password-hash.ts'
import { startDeployed } from '../harness/deployed.ts'
import { calmMoment, codeOf, secretFrom } from '../harness/one-time-codes.ts'
import { newAddress, pathOf, submitTo } from '../harness/portal-scene.ts'
import { agentsOf, STAFF_PASSWORD, signInAt } from '../harness/support-scene.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const service = await startDeployed()
after(service.stop)
const { db } = service.database
const at = (path: string) => `${service.url}/support${path}`
const agent = agentsOf(db, { passwords: createPasswordHasher(), cipher: createCipher(Buffer.alloc(32, 3)) })

async function tryIn(browser: WebClient, email: string, password: string): Promise<WebAnswer> {
  return browser.submit(await browser.open(at('/sign-in')), { email, password })
}

async function isIn(browser: WebClient): Promise<boolean> {
  return (await browser.get(at('/account'))).status === 200
}

test('400 and the same page for a wrong password, an unknown address, and an account without a password', async () => {
  const sam = await agent()
  const newcomer = await agent()
  await db`update staff set password_hash = null where id = ${newcomer.id}`
  for (const email of [sam.email, newAddress(), newcomer.email]) {
    const { status, text } = await tryIn(new WebClient(), email, 'wrong')
    assert.equal(status, 400)
    assert.match(text, /The e-mail or password is not right/)
  }
})

test('429 with Retry-After after ten failures from one address; right or wrong, known or not', async () => {
  const sam = await agent()
  for (const email of [sam.email, newAddress()]) {
    for (let failures = 0; failures < 10; failures += 1)
      assert.equal((await tryIn(new WebClient(), email, 'wrong')).status, 400)
    const refused = await tryIn(new WebClient(), email, STAFF_PASSWORD)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  const keys = await db<Array<{ key: string }>>`select key from failure_counts where key like ${`%${sam.email}%`}`
  assert.ok(keys.length > 0 && keys.every(({ key }) => key.startsWith('support sign-in ')))
})

test('the code comes after the password, once; there is no session before it; a recovery code works once', async () => {
  const sam = await agent()
  const browser = new WebClient()
  const page = await browser.follow(await tryIn(browser, sam.email, STAFF_PASSWORD))
  assert.equal(pathOf(page), '/support/code')
  assert.ok(!(await isIn(browser)))
  assert.equal((await browser.submit(page, { code: '000000' })).status, 400)
  const [recovery = ''] = sam.recoveryCodes
  const form = await browser.open(at('/code?with=recovery'))
  assert.equal((await browser.submit(form, { recovery_code: recovery.toLowerCase() })).location, at(''))
  assert.ok(await isIn(browser))
  const second = new WebClient()
  await tryIn(second, sam.email, STAFF_PASSWORD)
  const spent = await second.open(at('/code?with=recovery'))
  assert.equal((await second.submit(spent, { recovery_code: recovery })).status, 400)
  assert.equal(pathOf(await new WebClient().open(at('/code'))), '/support/sign-in')
})

test('a session ends two hours after it was last used, and twelve hours after it began', async () => {
  const sam = await agent()
  const browser = await signInAt(service.url, sam)
  const [row] = await db<[{ hours: number }]>`
    select extract(epoch from expires_at - auth_time)::float / 3600 as hours from staff_sessions where staff_id = ${sam.id}`
  assert.equal(Math.round(row.hours), 12)
  await db`update staff_sessions set last_seen_at = now() - interval '121 minutes' where staff_id = ${sam.id}`
  assert.ok(!(await isIn(browser)))
  await db`update staff_sessions set last_seen_at = now(), expires_at = now() where staff_id = ${sam.id}`
  assert.ok(!(await isIn(browser)))
})

test('signed out is signed out, also with the cookie from before', async () => {
  const browser = await signInAt(service.url, await agent())
  const stolen = browser.copy()
  const out = await submitTo(browser, await browser.open(at('/account')), '/sign-out')
  assert.equal(out.location, at('/sign-in'))
  assert.ok(!(await isIn(stolen)))
})

test('a second factor is set up before anything else; it ends sessions that had none, and this one goes on', async () => {
  await calmMoment()
  const sam = await agent('Sam', { secondFactor: false })
  const [here, thief] = [new WebClient(), new WebClient()]
  await tryIn(thief, sam.email, STAFF_PASSWORD)
  const page = await here.follow(await tryIn(here, sam.email, STAFF_PASSWORD))
  assert.equal(pathOf(page), '/support/account/two-factor/set-up')
  const secret = secretFrom(/<p class="key"><code>([^<]+)</.exec(page.text)?.[1] ?? '')
  const right = { code: codeOf({ secret }), password: STAFF_PASSWORD }
  assert.equal((await submitTo(here, page, '/set-up', { ...right, code: '000000' })).status, 400)
  assert.equal((await submitTo(here, page, '/set-up', { ...right, password: 'wrong' })).status, 400)
  assert.ok(!(await isIn(here)))
  const codes = await submitTo(here, page, '/set-up', right)
  assert.equal([...codes.text.matchAll(/<li><code>([A-Z2-7-]{29})</g)].length, 10)
  assert.ok(await isIn(here))
  assert.equal(pathOf(await thief.open(at('/account'))), '/support/sign-in')
})

test('a session from before the second factor, made at the same moment, is good for nothing', async () => {
  const sam = await agent('Sam', { secondFactor: false })
  const late = new WebClient()
  await tryIn(late, sam.email, STAFF_PASSWORD)
  await db`insert into staff_totp_secrets (staff_id, secret_sealed, last_step) values (${sam.id}, '\\x00', 0)`
  assert.equal(pathOf(await late.open(at(''))), '/support/sign-in')
  assert.equal(pathOf(await late.open(at('/account'))), '/support/sign-in')
})

test('turned off with password and code, the second factor has to be set up anew', async () => {
  const sam = await agent()
  const [browser, elsewhere] = [await signInAt(service.url, sam), await signInAt(service.url, sam)]
  const off = await browser.open(at('/account/two-factor/turn-off'))
  const proof = { password: STAFF_PASSWORD, code: sam.recoveryCodes[3] ?? '' }
  assert.equal((await submitTo(browser, off, '/turn-off', { ...proof, code: '000000' })).status, 400)
  await submitTo(browser, off, '/turn-off', proof)
  assert.equal(pathOf(await browser.open(at(''))), '/support/account/two-factor/set-up')
  assert.equal(pathOf(await elsewhere.open(at(''))), '/support/sign-in')
})

test('a new password needs the old one and ends the other sessions', async () => {
  const sam = await agent()
  const [here, elsewhere] = [await signInAt(service.url, sam), await signInAt(service.url, sam)]
  const page = await here.open(at('/account/password'))
  const fields = { password: 'wrong', new_password: 'another long secret' }
  assert.match((await submitTo(here, page, '/password', fields)).text, /That is not your password/)
  const done = await submitTo(here, page, '/password', { ...fields, password: STAFF_PASSWORD })
  assert.equal(done.location, at('/account?done=password'))
  assert.ok(await isIn(here))
  assert.ok(!(await isIn(elsewhere)))
  const [row] = await db<[{ actor_kind: string; before: null }]>`
    select actor_kind, before from audit_log where actor_id = ${sam.id} and action = 'account.password-changed'`
  assert.deepEqual(row, { actor_kind: 'staff', before: null })
})

test('sessions are ended from the account page, and only one’s own', async () => {
  const [sam, kim] = [await agent('Sam'), await agent('Kim')]
  const [here, elsewhere] = [await signInAt(service.url, sam), await signInAt(service.url, sam)]
  const kims = await signInAt(service.url, kim)
  const page = await here.open(at('/account'))
  const [theirs] = await db<[{ sid: string }]>`select sid from staff_sessions where staff_id = ${kim.id}`
  await submitTo(here, page, '/sessions/end', { session: theirs.sid })
  assert.ok(await isIn(kims))
  await submitTo(here, page, '/sessions/end-others')
  assert.ok(!(await isIn(elsewhere)))
  assert.ok(await isIn(here))
})
