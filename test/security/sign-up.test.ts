import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { finishSignUp, keepSignUp } from '../../src/domain/users/sign-up-store.ts'
import { findUserByLogin } from '../../src/domain/users/user-store.ts'
import { newOpaqueSecret, secretHash } from '../../src/platform/opaque-secret.ts'
import { arrivalOf, NURSE, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { codeIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import { onlyForm, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const application = await scene.client({ firstParty: true })

const UNSAID = { nickname: null, username: null, phoneNumber: null, city: null, state: null }
const newAddress = () => `${randomUUID()}@example.com`
const person = (email: string) => ({ role: 'FACILITY_USER', name: 'Ann Lee', email, password: 'tangerine boat 7' })

/** As far as the page that asks for the code. */
async function begin(browser: WebClient, email: string): Promise<WebAnswer> {
  const form = await scene.visit(browser, application, { screen_hint: 'signup' })
  return browser.send(form, person(email))
}

async function exists(email: string): Promise<boolean> {
  return (await findUserByLogin(scene.db, email)) !== null
}

function otherThan(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0')
}

test('after five wrong codes the right one is refused; another mail brings another code', async () => {
  const email = newAddress()
  const browser = new WebClient()
  let page = await begin(browser, email)
  const code = codeIn(await nextMail(scene.url, email))
  for (let left = 4; left >= 0; left -= 1) {
    page = await browser.send(page, { code: otherThan(code) })
    assert.equal(page.status, 400)
    assert.match(
      page.text,
      left === 0 ? /no longer works/ : new RegExp(left === 1 ? 'One attempt' : `${left} attempts`),
    )
  }
  page = await browser.send(page, { code })
  assert.match(page.text, /no longer works/)
  assert.ok(!(await exists(email)))

  page = await browser.send(page, { again: 'yes' })
  assert.equal(page.status, 200)
  const fresh = codeIn(await nextMail(scene.url, email, 2))
  if (fresh !== code) assert.equal((await browser.send(page, { code })).status, 400, 'the code before is dead')
  arrivalOf(await browser.send(page, { code: fresh }))
  assert.ok(await exists(email))
})

test('thirty-two guesses at once are five attempts', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await begin(browser, email)
  const code = codeIn(await nextMail(scene.url, email))
  const guesses = await Promise.all(
    Array.from({ length: 32 }, (_, n) => browser.submit(page, { code: otherThan(code, n + 1) })),
  )
  assert.equal(guesses.filter(({ text }) => /attempts? (?:is|are) left/.test(text)).length, 4)
  assert.equal((await browser.submit(page, { code })).status, 400)
  assert.ok(!(await exists(email)))
})

test('what is not six digits is no attempt', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await begin(browser, email)
  for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
    assert.match((await browser.submit(page, { code })).text, /Type the six digits/)
  arrivalOf(await browser.send(page, { code: codeIn(await nextMail(scene.url, email)) }))
})

test('the code is of no use in another browser', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await begin(browser, email)
  const code = codeIn(await nextMail(scene.url, email))

  const thief = new WebClient()
  const theirs = await begin(thief, newAddress())
  assert.equal((await thief.get(page.url)).status, 400)
  const { fields } = onlyForm(page)
  const stolen = await thief.submit(theirs, { interaction: fields['interaction'] ?? '', code })
  assert.equal(stolen.status, 400)
  assert.equal((await thief.submit(theirs, { code })).status, 400)
  assert.ok(!(await exists(email)))
  arrivalOf(await browser.send(page, { code }))
})

test('the code is good for a quarter of an hour, and another one can be asked for', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await begin(browser, email)
  const code = codeIn(await nextMail(scene.url, email))
  const [row] = await scene.db<Array<{ seconds: number }>>`
    select extract(epoch from code_expires_at - now())::int as seconds from sign_ups where secret_hash = ${hashOf(page)}`
  assert.ok(row && row.seconds > 890 && row.seconds <= 900)
  await scene.db`update sign_ups set code_expires_at = now() where secret_hash = ${hashOf(page)}`
  assert.match((await browser.send(page, { code })).text, /no longer works/)
  const again = await browser.send(page, { again: 'yes' })
  arrivalOf(await browser.send(again, { code: codeIn(await nextMail(scene.url, email, 2)) }))
})

test('the right code sent twice at once makes one account, and both go on', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const page = await begin(browser, email)
  const code = codeIn(await nextMail(scene.url, email))
  const answers = await Promise.all(Array.from({ length: 4 }, () => browser.submit(page, { code })))
  for (const { status, location } of answers) {
    assert.equal(status, 303)
    assert.match(location ?? '', /\/oidc\/continue\?/)
  }
  assert.equal((await scene.db`select 1 from users where email = ${email}`).length, 1)
})

test('who comes a moment after the code was used goes on too, and is not told that it no longer works', async () => {
  const place = { secret: newOpaqueSecret(), browser: newOpaqueSecret() }
  const { cipher } = scene.service.deps
  const { password: _, ...details } = { ...person(newAddress()), ...UNSAID, role: 'NURSE_USER' as const }
  await keepSignUp(scene.db, cipher, place, { ...details, passwordHash: 'none' }, '123456')
  assert.equal((await finishSignUp(scene.db, cipher, place, '123456')).outcome, 'right')
  // As if it had looked before the other one was done, and tried after it.
  assert.equal((await finishSignUp(scene.db, cipher, place, '123456')).outcome, 'done')
})

test('known and unknown addresses look alike and cost the same work; only the mail tells', async () => {
  const { passwords } = scene.service.deps
  const { hash } = passwords
  let hashed = 0
  passwords.hash = (password) => {
    hashed += 1
    return hash(password)
  }
  const walk = async (email: string) => {
    const before = hashed
    const browser = new WebClient()
    const form = await scene.visit(browser, application, { screen_hint: 'signup' })
    const posted = await browser.submit(form, person(email))
    const page = await browser.follow(posted)
    const wrong = await browser.submit(page, { code: '000000' })
    const again = await browser.submit(page, { again: 'yes' })
    const seen = [posted, page, wrong, again].map((answer) => plain(answer, email))
    return { seen, hashed: hashed - before }
  }
  try {
    const unknown = newAddress()
    assert.deepEqual(await walk(NURSE), await walk(unknown))
    assert.match((await nextMail(scene.url, NURSE, 2)).text, /It has one already/)
    assert.ok((await mailsTo(scene.url, NURSE)).every(({ text }) => !/^\d{6}$/m.test(text)))
    codeIn(await nextMail(scene.url, unknown, 2))
  } finally {
    passwords.hash = hash
  }
})

test('for a known address no code is ever right, and its owner is told at the address they gave', async () => {
  const browser = new WebClient()
  const page = await begin(browser, 'Facility@EXAMPLE.com')
  await nextMail(scene.url, 'facility@example.com')
  assert.deepEqual(await mailsTo(scene.url, 'Facility@EXAMPLE.com'), [])
  const [row] = await scene.db<Array<{ length: number }>>`
    select length(code_hash) as length from sign_ups where secret_hash = ${hashOf(page)}`
  assert.equal(row?.length, 32)
  const before = await findUserByLogin(scene.db, 'facility@example.com')
  for (let guess = 0; guess < 5; guess += 1) await browser.submit(page, { code: `00000${guess}` })
  assert.deepEqual(await findUserByLogin(scene.db, 'facility@example.com'), before)
})

test('nothing of what was typed can be read in the database or the log', async () => {
  const email = newAddress()
  await begin(new WebClient(), email)
  const code = codeIn(await nextMail(scene.url, email))
  const [dump] = await scene.db<Array<{ everything: string }>>`
    select string_agg(encode(details_sealed, 'escape') || encode(code_hash, 'escape'), ' ') as everything from sign_ups`
  assert.ok(dump && !dump.everything.includes('example.com') && !dump.everything.includes('tangerine'))
  // Six digits in a row come up in the random id of a request too.
  const log = scene.service.logged.join('\n').replaceAll(/req_[0-9a-f]{32}/g, '')
  for (const secret of [email, code, 'tangerine']) assert.ok(!log.includes(secret), secret)
})

test('the form of another page or site changes nothing', async () => {
  const email = newAddress()
  const browser = new WebClient()
  const form = await scene.visit(browser, application, { screen_hint: 'signup' })
  assert.equal((await browser.submit(form, { ...person(email), csrf: 'x' })).status, 403)
  assert.equal((await browser.submit(form, person(email), { 'sec-fetch-site': 'cross-site' })).status, 403)
  const page = await browser.send(form, person(email))
  const code = codeIn(await nextMail(scene.url, email))
  assert.equal((await browser.submit(page, { code, csrf: null })).status, 403)
  assert.ok(!(await exists(email)))
  assert.equal((await mailsTo(scene.url, email)).length, 1)
})

test('the sixth mail to an address within a quarter of an hour is refused, to another it is not', async () => {
  const email = newAddress()
  const browser = new WebClient()
  let page = await begin(browser, email)
  for (let sent = 1; sent < 5; sent += 1) page = await browser.send(page, { again: 'yes' })
  assert.equal(page.status, 200)
  assert.equal((await browser.submit(page, { again: 'yes' })).status, 429)
  assert.equal((await begin(new WebClient(), email.toUpperCase())).status, 429)
  assert.equal(pathOf(await begin(new WebClient(), newAddress())), '/oidc/verify')
  await nextMail(scene.url, email, 5)
})

/** What somebody else would see differ, with everything that is new on every visit taken out. */
function plain({ status, location, text, headers }: WebAnswer, email: string): unknown {
  const ids = /[A-Za-z0-9_-]{43}/g
  const names = [...headers.keys()].filter((name) => name !== 'set-cookie')
  return {
    status,
    location: location?.replaceAll(ids, '…'),
    text: text.replaceAll(ids, '…').replaceAll(email, '@'),
    names,
  }
}

function hashOf(page: WebAnswer): Buffer {
  return secretHash(new URL(page.url).searchParams.get('interaction') ?? onlyForm(page).fields['interaction'] ?? '')
}
