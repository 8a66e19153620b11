import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { linkIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import { calmMoment, codeOf, secretFrom } from '../harness/one-time-codes.ts'
import { newAddress, PORTAL_PASSWORD, pathOf, startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

async function tryIn(browser: WebClient, email: string, password: string): Promise<WebAnswer> {
  return browser.submit(await browser.open(scene.at('/sign-in')), { email, password })
}

async function isIn(browser: WebClient): Promise<boolean> {
  return (await browser.get(scene.at('/account'))).status === 200
}

test('303 to the portal with a cookie of its own: HttpOnly, Lax, this host, thirty days', async () => {
  const ann = await scene.colleague()
  await scene.team('Rota', [[ann, 'owner']])
  const answer = await tryIn(new WebClient(), ann.email.toUpperCase(), PORTAL_PASSWORD)
  assert.deepEqual([answer.status, answer.location], [303, scene.at('')])
  const [cookie = ''] = answer.headers.getSetCookie().filter((line) => line.startsWith('handover-portal='))
  assert.match(cookie, /^handover-portal=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
})

test('400 and the same page for a wrong password and an unknown address', async () => {
  const ann = await scene.colleague()
  const wrong = await tryIn(new WebClient(), ann.email, 'wrong')
  const unknown = await tryIn(new WebClient(), newAddress(), 'wrong')
  for (const { status, text } of [wrong, unknown]) {
    assert.equal(status, 400)
    assert.match(text, /The e-mail or password is not right/)
  }
})

test('a new session id at every login, and the one before is over; one that was planted is not taken', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  const before = browser.copy()
  const page = await browser.get(scene.at('/account'))
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const again = { csrf, email: ann.email, password: PORTAL_PASSWORD }
  const answer = await browser.post(scene.at('/sign-in'), again, { 'sec-fetch-site': 'same-origin' })
  assert.equal(answer.status, 303)
  assert.notEqual(browser.cookie(scene.url, 'handover-portal'), before.cookie(scene.url, 'handover-portal'))
  assert.ok(await isIn(browser))
  assert.ok(!(await isIn(before)))

  const planted = new WebClient()
  planted.setCookie(scene.url, 'handover-portal', 'x'.repeat(43))
  await tryIn(planted, ann.email, PORTAL_PASSWORD)
  assert.notEqual(planted.cookie(scene.url, 'handover-portal'), 'x'.repeat(43))
})

test('a person’s session opens no page of the portal, and an integrator’s none of a person', async () => {
  const ann = await scene.colleague()
  const cookie = (await scene.signedIn(ann)).cookie(scene.url, 'handover-portal') ?? ''
  const browser = new WebClient()
  browser.setCookie(scene.url, 'handover-session', cookie)
  assert.match((await browser.get(scene.at('/account'))).location ?? '', /\/portal\/sign-in\?next=/)
  assert.match((await browser.get(`${scene.url}/oidc/account`)).location ?? '', /\/oidc\/login/)
})

test('429 with Retry-After after ten failures from one address; right or wrong, known or not; people elsewhere are not touched', async () => {
  const ann = await scene.colleague()
  for (const email of [ann.email, newAddress()]) {
    for (let failures = 0; failures < 10; failures += 1)
      assert.equal((await tryIn(new WebClient(), email, 'wrong')).status, 400)
    const refused = await tryIn(new WebClient(), email, email === ann.email ? PORTAL_PASSWORD : 'wrong')
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  const keys = await scene.db<Array<{ key: string }>>`select key from failure_counts where key like ${`%${ann.email}%`}`
  assert.ok(keys.length > 0 && keys.every(({ key }) => key.startsWith('portal sign-in ')))
})

test('signed out is signed out, also with the cookie from before', async () => {
  const ann = await scene.colleague()
  await scene.team('Rota', [[ann, 'owner']])
  const browser = await scene.signedIn(ann)
  const stolen = browser.copy()
  const page = await browser.open(scene.at(''))
  const out = await submitTo(browser, page, '/sign-out')
  assert.equal(out.location, scene.at('/sign-in'))
  assert.equal(browser.cookie(scene.url, 'handover-portal'), undefined)
  assert.ok(!(await isIn(stolen)))
})

test('a session ends three days after it was last used, and thirty days after it began', async () => {
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  const [row] = await scene.db<[{ days: number }]>`
    select extract(epoch from expires_at - auth_time)::float / 86400 as days from integrator_sessions where integrator_id = ${ann.id}`
  assert.equal(Math.round(row.days), 30)
  await scene.db`update integrator_sessions set last_seen_at = now() - interval '73 hours' where integrator_id = ${ann.id}`
  assert.ok(!(await isIn(browser)))
  await scene.db`update integrator_sessions set last_seen_at = now(), expires_at = now() where integrator_id = ${ann.id}`
  assert.ok(!(await isIn(browser)))
})

test('the code comes after the password, once; there is no session before it', async () => {
  await calmMoment()
  const ann = await scene.colleague()
  const authenticator = await scene.enrol(ann.id)
  const browser = new WebClient()
  const page = await browser.follow(await tryIn(browser, ann.email, PORTAL_PASSWORD))
  assert.equal(pathOf(page), '/portal/code')
  assert.ok(!(await isIn(browser)))
  assert.equal((await browser.submit(page, { code: '000000' })).status, 400)
  const code = codeOf(authenticator)
  assert.equal((await browser.submit(page, { code })).status, 303)
  assert.ok(await isIn(browser))

  const second = new WebClient()
  const again = await second.follow(await tryIn(second, ann.email, PORTAL_PASSWORD))
  assert.equal((await second.submit(again, { code })).status, 400, 'used already')
  const recovery = authenticator.recoveryCodes[0] ?? ''
  const other = await second.open(scene.at('/code?with=recovery'))
  assert.equal((await second.submit(other, { recovery_code: recovery.toLowerCase() })).status, 303)
  const third = new WebClient()
  await tryIn(third, ann.email, PORTAL_PASSWORD)
  const spent = await third.open(scene.at('/code?with=recovery'))
  assert.equal((await third.submit(spent, { recovery_code: recovery })).status, 400)
})

test('429 after five wrong codes, and without the password first the page of codes leads to it', async () => {
  const ann = await scene.colleague()
  await scene.enrol(ann.id)
  const browser = new WebClient()
  assert.equal(pathOf(await browser.open(scene.at('/code'))), '/portal/sign-in')
  const page = await browser.follow(await tryIn(browser, ann.email, PORTAL_PASSWORD))
  for (let wrong = 0; wrong < 5; wrong += 1) assert.equal((await browser.submit(page, { code: '000000' })).status, 400)
  assert.equal((await browser.submit(page, { code: '000000' })).status, 429)
})

test('a reset link works once, ends every session and every sign-in under way, and signs nobody in', async () => {
  const ann = await scene.colleague()
  await scene.enrol(ann.id)
  const waiting = new WebClient()
  const codePage = await waiting.follow(await tryIn(waiting, ann.email, PORTAL_PASSWORD))
  const browser = new WebClient()
  const asked = await browser.send(await browser.open(scene.at('/reset')), { email: ann.email })
  assert.match(asked.text, /a mail with a link is on its way/)
  const link = linkIn(await nextMail(scene.url, ann.email))
  const form = await browser.open(link)
  assert.equal((await browser.open(link)).status, 200, 'looking does not use it up')
  assert.equal((await browser.submit(form, { password: 'password' })).status, 400)
  const done = await browser.submit(form, { password: 'another long secret' })
  assert.equal(done.status, 200)
  assert.match(done.text, /Your password was changed/)
  assert.ok(!(await isIn(browser)))
  assert.equal((await browser.submit(form, { password: 'yet another secret' })).status, 400)
  assert.equal((await waiting.submit(codePage, { code: '123456' })).location, scene.at('/sign-in'))
  assert.equal((await tryIn(new WebClient(), ann.email, PORTAL_PASSWORD)).status, 400)
  assert.equal((await tryIn(new WebClient(), ann.email, 'another long secret')).location, scene.at('/code'))
})

test('of two uses of a reset link at once one wins; after a quarter of an hour it is dead', async () => {
  const ann = await scene.colleague()
  const browser = new WebClient()
  await browser.send(await browser.open(scene.at('/reset')), { email: ann.email })
  const form = await browser.open(linkIn(await nextMail(scene.url, ann.email)))
  const answers = await Promise.all(
    ['first long secret', 'second long secret'].map((password) => browser.submit(form, { password })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]))
  const [row] = await scene.db<[{ seconds: number }]>`
    select max(extract(epoch from expires_at - now()))::int as seconds from integrator_password_resets`
  assert.ok(row.seconds <= 900)
})

test('an unknown address gets the same answer to a reset and no mail', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const asked = await browser.send(await browser.open(scene.at('/reset')), { email })
  assert.equal(asked.status, 200)
  assert.deepEqual(await mailsTo(scene.url, email), [])
})

test('a new password on the account page needs the old one and ends the other sessions', async () => {
  const ann = await scene.colleague()
  const [here, elsewhere] = [await scene.signedIn(ann), await scene.signedIn(ann)]
  const page = await here.open(scene.at('/account/password'))
  const fields = { password: 'wrong', new_password: 'another long secret' }
  assert.match((await submitTo(here, page, '/password', fields)).text, /That is not your password/)
  const done = await submitTo(here, page, '/password', { ...fields, password: PORTAL_PASSWORD })
  assert.equal(done.location, scene.at('/account?done=password'))
  assert.ok(await isIn(here))
  assert.ok(!(await isIn(elsewhere)))
  assert.match((await nextMail(scene.url, ann.email)).subject, /password.*changed/)
})

test('two-factor is turned on with a code and the password, and off with both again', async () => {
  await calmMoment()
  const ann = await scene.colleague()
  const browser = await scene.signedIn(ann)
  const page = await browser.open(scene.at('/account/two-factor'))
  assert.equal(pathOf(page), '/portal/account/two-factor/set-up')
  const secret = secretFrom(/<p class="key"><code>([^<]+)</.exec(page.text)?.[1] ?? '')
  const right = { code: codeOf({ secret }), password: PORTAL_PASSWORD }
  assert.equal((await submitTo(browser, page, '/set-up', { ...right, code: '000000' })).status, 400)
  assert.equal((await submitTo(browser, page, '/set-up', { ...right, password: 'wrong' })).status, 400)
  const codes = await submitTo(browser, page, '/set-up', right)
  const recovery = [...codes.text.matchAll(/<li><code>([A-Z2-7-]{29})</g)].map(([, code = '']) => code)
  assert.equal(recovery.length, 10)
  const off = await browser.open(scene.at('/account/two-factor/turn-off'))
  const proof = { password: PORTAL_PASSWORD, code: recovery[0] ?? '' }
  assert.equal(
    (await submitTo(browser, off, '/turn-off', { ...proof, code: recovery[1]?.replaceAll(/./g, 'A') ?? '' })).status,
    400,
  )
  assert.equal((await submitTo(browser, off, '/turn-off', proof)).location, scene.at('/account?done=two-factor-off'))
})

test('sessions are ended from the account page, and only one’s own', async () => {
  const [ann, bob] = [await scene.colleague(), await scene.colleague()]
  const [here, elsewhere, bobs] = [await scene.signedIn(ann), await scene.signedIn(ann), await scene.signedIn(bob)]
  const page = await here.open(scene.at('/account'))
  const [theirs] = await scene.db<
    [{ sid: string }]
  >`select sid from integrator_sessions where integrator_id = ${bob.id}`
  await submitTo(here, page, '/sessions/end', { session: theirs.sid })
  assert.ok(await isIn(bobs))
  await submitTo(here, page, '/sessions/end')
  assert.ok(!(await isIn(elsewhere)))
  assert.ok(await isIn(here))
})
