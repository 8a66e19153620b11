import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { hasTotp } from '../../src/domain/users/totp-store.ts'
import { FACILITY, NURSE, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { codeOf, enrol, secretFrom } from '../harness/one-time-codes.ts'
import { assertPageHeaders } from '../harness/page-headers.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { onlyForm, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const { db, url, password } = scene
const TWO_FACTOR = `${url}/oidc/account/two-factor`
const here = await scene.signedIn()

beforeEach(async () => {
  await db`delete from totp_secrets`
  await db`delete from failure_counts`
})

const shownSecret = ({ text }: WebAnswer) => ({
  secret: secretFrom(/class="key"><code>([A-Z2-7 ]+)</.exec(text)?.[1] ?? ''),
})
const shownCodes = ({ text }: WebAnswer) =>
  [...text.matchAll(/<li><code>([A-Z2-7-]{29})</g)].map(([, code = '']) => code)
const mailed = (words: string) =>
  soon(async () => (await here.get(`${url}/demo/mailbox`)).text.includes(words), PATIENCE_MS)

test('200 with a QR code and the key as text; a right code and the password turn it on and show ten recovery codes once', async () => {
  const page = await here.open(TWO_FACTOR)
  assert.equal(pathOf(page), '/oidc/account/two-factor/set-up')
  assertPageHeaders(page)
  assert.match(page.text, /<svg class="qr"[^>]*role="img" aria-label="QR code/)
  const app = shownSecret(page)
  assert.equal(app.secret.length, 20)
  assert.equal(await hasTotp(db, scene.nurse.id), false, 'looking changes nothing')

  const code = codeOf(app)
  const done = await here.submit(page, { code, password })
  assert.equal(done.status, 200, done.text)
  assertPageHeaders(done)
  const codes = shownCodes(done)
  assert.equal(new Set(codes).size, 10)
  assert.ok(await mailed('Two-factor sign-in was turned on'))
  const again = await here.submit(page, { code: codeOf(app, 1), password })
  assert.equal(again.location, TWO_FACTOR, 'sending the form again shows nothing')
  assert.equal((await here.get(`${TWO_FACTOR}/set-up`)).location, TWO_FACTOR)
  const status = await here.get(TWO_FACTOR)
  assert.ok(!codes.some((each) => status.text.includes(each)))
  assert.match(status.text, /10 of them left/)

  const browser = new WebClient()
  const asked = await scene.signIn(browser, await browser.open(`${url}/oidc/account`))
  assert.equal((await browser.submit(asked, { code })).status, 400, 'the code that turned it on is used')
  assert.equal(pathOf(await browser.send(asked, { recovery_code: codes[0] ?? '' })), '/oidc/account')
})

test('400 with a wrong code or password, and the same key; nothing is turned on', async () => {
  const page = await here.get(`${TWO_FACTOR}/set-up`)
  const app = shownSecret(page)
  for (const [fields, fault] of [
    [{ code: '12345', password }, 'code-error'],
    [{ code: codeOf(app, 3), password }, 'code-error'],
    [{ code: codeOf(app), password: 'wrong' }, 'password-error'],
    [{ code: codeOf(app), password: '' }, 'password-error'],
  ] as const) {
    const answer = await here.submit(page, fields)
    assert.equal(answer.status, 400)
    assert.ok(answer.text.includes(`id="${fault}"`), fault)
    assert.deepEqual(shownSecret(answer), app)
    assert.equal(await hasTotp(db, scene.nurse.id), false)
  }
})

test('400 with a key that was made for another person, another session, or by nobody', async () => {
  const foreign = [await scene.signedIn(FACILITY), await scene.signedIn(NURSE)]
  const pages = await Promise.all(foreign.map((browser) => browser.get(`${TWO_FACTOR}/set-up`)))
  const own = await here.get(`${TWO_FACTOR}/set-up`)
  const sent = pages.map((page) => ({ secret: onlyForm(page).fields['secret'] ?? '', code: codeOf(shownSecret(page)) }))
  for (const each of [...sent, { secret: '', code: '123456' }, { secret: 'AAAA', code: '123456' }]) {
    const answer = await here.submit(own, { ...each, password })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /scan the new code/)
    assert.equal(await hasTotp(db, scene.nurse.id), false)
  }
})

test('303 to turn it off, with the password and a code; not with one of them alone', async () => {
  const phone = await enrol(scene.service, scene.nurse.id)
  const page = await here.get(`${TWO_FACTOR}/turn-off`)
  for (const fields of [
    { password, code: '' },
    { password, code: '12345' },
    { password: 'wrong', code: codeOf(phone) },
    { password: '', code: codeOf(phone) },
  ]) {
    assert.equal((await here.submit(page, fields)).status, 400)
    assert.ok(await hasTotp(db, scene.nurse.id))
  }
  const done = await here.submit(page, { password, code: codeOf(phone) })
  assert.equal(done.location, `${url}/oidc/account?done=two-factor-off`)
  assert.equal(await hasTotp(db, scene.nurse.id), false)
  assert.equal((await db`select 1 from recovery_codes`).length, 0)
  assert.ok(await mailed('Two-factor sign-in was turned off'))
  assert.ok(await scene.signedIn(), 'the password is enough again')
})

test('303 to turn it off with a recovery code, when the phone is lost', async () => {
  const phone = await enrol(scene.service, scene.nurse.id)
  const page = await here.get(`${TWO_FACTOR}/turn-off`)
  assert.equal((await here.submit(page, { password, code: phone.recoveryCodes[0] ?? '' })).status, 303)
  assert.equal(await hasTotp(db, scene.nurse.id), false)
})

test('200 with ten new recovery codes, for the password and a code; the old ones are dead', async () => {
  const phone = await enrol(scene.service, scene.nurse.id)
  const page = await here.get(`${TWO_FACTOR}/recovery-codes`)
  assert.equal((await here.submit(page, { password: 'wrong', code: codeOf(phone) })).status, 400)
  const done = await here.submit(page, { password, code: codeOf(phone) })
  assert.equal(done.status, 200)
  const fresh = shownCodes(done)
  assert.equal(new Set([...fresh, ...phone.recoveryCodes]).size, 20)
  const off = await here.get(`${TWO_FACTOR}/turn-off`)
  assert.equal((await here.submit(off, { password, code: phone.recoveryCodes[0] ?? '' })).status, 400)
  assert.equal((await here.submit(off, { password, code: fresh[0] ?? '' })).status, 303)
})

test('429 after five wrong codes, and after ten wrong passwords', async () => {
  const phone = await enrol(scene.service, scene.nurse.id)
  const page = await here.get(`${TWO_FACTOR}/turn-off`)
  for (let guess = 0; guess < 5; guess += 1) await here.submit(page, { password, code: '12345' })
  assert.equal((await here.submit(page, { password, code: codeOf(phone) })).status, 429)
  await db`delete from failure_counts`
  for (let guess = 0; guess < 10; guess += 1) await here.submit(page, { password: 'wrong', code: codeOf(phone) })
  assert.equal((await here.submit(page, { password, code: codeOf(phone) })).status, 429)
  assert.ok(await hasTotp(db, scene.nurse.id))
})
