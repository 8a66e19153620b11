import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findIntegratorByEmail } from '../../src/domain/integrators/integrator-store.ts'
import { teamsOf } from '../../src/domain/teams/team-store.ts'
import { codeIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import { newAddress, PORTAL_PASSWORD, pathOf, startPortalScene } from '../harness/portal-scene.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const without = ({ text }: WebAnswer, ...words: string[]) =>
  words.reduce((left, word) => left.replaceAll(word, '…'), text.replaceAll(/name="csrf" value="[^"]+"/g, ''))

test('303 to a team of their own: sign-up, the code from the mail, signed in', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await scene.signUp(browser, email)
  assert.equal(page.status, 200)
  assert.match(pathOf(page), /^\/portal\/teams\/tem_[0-9a-f]{32}$/)
  assert.match(page.text, /New Comer’s team/)
  const found = await findIntegratorByEmail(scene.db, email.toUpperCase())
  assert.match(found?.integrator.id ?? '', /^int_[0-9a-f]{32}$/)
  assert.deepEqual(
    (await teamsOf(scene.db, found?.integrator.id ?? '')).map(({ role }) => role),
    ['owner'],
  )
  assert.match(found?.passwordHash ?? '', /^\$argon2id\$/)
})

test('400 with every wrong field at once, and what was typed is still there but the password', async () => {
  const browser = new WebClient()
  const form = await browser.open(scene.at('/sign-up'))
  const answer = await browser.submit(form, { name: '', email: 'nonsense', password: 'password' })
  assert.equal(answer.status, 400)
  for (const words of ['Tell us your name', 'does not look like an e-mail', 'guessed first'])
    assert.ok(answer.text.includes(words), words)
  assert.match(answer.text, /value="nonsense"/)
  assert.doesNotMatch(answer.text, /value="password"/)
})

test('400 for a wrong code, and after five of them for the right one too; another mail brings another code', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await scene.beginSignUp(browser, email)
  const code = codeIn(await nextMail(scene.url, email))
  for (let left = 4; left >= 0; left -= 1) {
    const { status, text } = await browser.submit(page, { code: otherThan(code) })
    assert.equal(status, 400)
    assert.match(text, left === 0 ? /no longer works/ : new RegExp(left === 1 ? 'One attempt' : `${left} attempts`))
  }
  assert.match((await browser.submit(page, { code })).text, /no longer works/)
  const again = await browser.submit(page, { again: 'yes' })
  assert.equal(again.status, 200)
  const fresh = codeIn(await nextMail(scene.url, email, 2))
  assert.equal((await browser.send(page, { code: fresh })).status, 200)
})

test('the code is of no use in another browser', async () => {
  const email = newAddress()
  const page = await scene.beginSignUp(new WebClient(), email)
  const code = codeIn(await nextMail(scene.url, email))
  const thief = new WebClient()
  assert.equal(pathOf(await thief.open(page.url)), '/portal/sign-up')
  const theirs = await scene.beginSignUp(thief, newAddress())
  assert.equal((await thief.submit(theirs, { code })).status, 400)
  assert.equal(await findIntegratorByEmail(scene.db, email), null)
})

test('an address that has an account sees the same pages, gets another mail, and no code is ever right', async () => {
  const { email } = await scene.colleague()
  const fresh = newAddress()
  const known = await scene.beginSignUp(new WebClient(), email)
  const unknown = await scene.beginSignUp(new WebClient(), fresh)
  assert.equal(known.status, unknown.status)
  assert.equal(without(known, email), without(unknown, fresh))
  const mail = await nextMail(scene.url, email)
  assert.match(mail.text, /has one already/)
  assert.match(mail.text, /\/portal\/reset/)
  assert.doesNotMatch(mail.text, /^\d{6}$/m)
})

test('the right code sent twice at once makes one account, and both go on', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await scene.beginSignUp(browser, email)
  const code = codeIn(await nextMail(scene.url, email))
  const answers = await Promise.all(Array.from({ length: 4 }, () => browser.submit(page, { code })))
  for (const { status, location } of answers) assert.deepEqual([status, location], [303, scene.at('')])
  const [row] = await scene.db<[{ teams: number }]>`
    select count(*)::int as teams from team_members join integrators on integrators.id = integrator_id where email = ${email}`
  assert.equal(row.teams, 1)
})

test('people of the marketplace are not integrators, and the other way round', async () => {
  const browser = new WebClient()
  const page = await browser.open(scene.at('/sign-in'))
  const nurse = { email: scene.service.demo['NURSE_EMAIL'] ?? '', password: scene.service.demo['DEMO_PASSWORD'] ?? '' }
  assert.equal((await browser.submit(page, nurse)).status, 400)
  const begun = await scene.beginSignUp(new WebClient(), nurse.email)
  assert.equal(pathOf(begun), '/portal/verify')
  assert.match((await nextMail(scene.url, nurse.email)).subject, /is your code/, 'the address is free here')
})

test('429 when too many mails were asked for', async () => {
  const email = newAddress()
  const browser = new WebClient()
  for (let mails = 0; mails < 5; mails += 1)
    assert.equal(pathOf(await scene.beginSignUp(browser, email)), '/portal/verify')
  const refused = await scene.beginSignUp(browser, email)
  assert.equal(refused.status, 429)
  assert.match(refused.text, /Too many mails/)
  assert.equal((await mailsTo(scene.url, email)).length, 5)
})

test('what waits for its code holds neither the address nor the password in the clear', async () => {
  const email = newAddress()
  await scene.beginSignUp(new WebClient(), email)
  const rows = await scene.db<Array<{ sealed: Buffer }>>`select details_sealed as sealed from integrator_sign_ups`
  for (const { sealed } of rows)
    for (const words of [email, PORTAL_PASSWORD, 'argon2id']) assert.ok(!sealed.toString('latin1').includes(words))
})

test('the demo has a team with its owner, and the demo applications are its', async () => {
  const owner = new WebClient()
  const page = await owner.open(scene.at('/sign-in'))
  const { PORTAL_EMAIL: email = '', DEMO_PASSWORD: password = '' } = scene.service.demo
  const team = await owner.send(page, { email, password })
  assert.match(team.text, /<h1>Demo team<\/h1>/)
  const [row] = await scene.db<[{ without: number; with: number }]>`
    select count(*) filter (where team_id is null)::int as without, count(team_id)::int as with from applications`
  assert.deepEqual({ ...row }, { without: 0, with: 5 })
})
