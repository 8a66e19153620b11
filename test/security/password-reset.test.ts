import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { User } from '../../src/domain/users/user.ts'
import { findUserByLogin, insertUser } from '../../src/domain/users/user-store.ts'
import { secretHash } from '../../src/platform/opaque-secret.ts'
import { assertError } from '../harness/answer.ts'
import { arrivalOf, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { linkIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import { postWithHost } from '../harness/poisoned-host.ts'
import { soonHeard } from '../harness/soon.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
const application = await scene.client({ firstParty: true })

const FRESH = 'ultramarine kite 4'

/** Somebody of their own for a test, with the password of every seeded person unless told otherwise. */
async function somebody(more: Partial<User> = {}, passwordHash?: string | null): Promise<User> {
  const seeded = await findUserByLogin(scene.db, 'nurse')
  const user = { ...scene.nurse, id: randomUUID(), email: `${randomUUID()}@example.com`, username: null, ...more }
  await insertUser(scene.db, {
    ...user,
    passwordHash: passwordHash === undefined ? (seeded?.passwordHash ?? null) : passwordHash,
  })
  return user
}

async function ask(browser: WebClient, login: string): Promise<WebAnswer> {
  return browser.submit(await browser.open(`${scene.url}/oidc/reset`), { username: login })
}

async function linkFor({ email }: User, browser = new WebClient()): Promise<string> {
  const before = (await mailsTo(scene.url, email)).length
  assert.equal((await ask(browser, email)).status, 200)
  return linkIn(await nextMail(scene.url, email, before + 1))
}

async function choose(link: string, password = FRESH, browser = new WebClient()): Promise<WebAnswer> {
  return browser.submit(await browser.open(link), { password })
}

async function signsIn(login: string, password: string): Promise<boolean> {
  const browser = new WebClient()
  const answer = await scene.signIn(browser, await scene.visit(browser, application), login, password)
  return answer.location !== null
}

test('a new password ends sessions, refresh tokens, codes and, within a second, access tokens; the owner is told', async () => {
  const user = await somebody()
  const browser = new WebClient()
  arrivalOf(await scene.signIn(browser, await scene.visit(browser, application), user.email))
  const { access, refresh } = await scene.grant(application, { userId: user.id })
  const code = await scene.code(application, { userId: user.id })
  const nurses = await scene.grant(application)
  assert.equal((await scene.userinfo(access)).status, 200)

  const elsewhere = new WebClient()
  const changed = await choose(await linkFor(user), FRESH, elsewhere)
  assert.equal(changed.status, 200)
  assert.match(changed.text, /Your password was changed/)

  const silent = await scene.visit(browser, application, { prompt: 'none' })
  assert.equal(arrivalOf(silent).fields['error'], 'login_required')
  assertError(await scene.refresh(application, refresh), 400, 'invalid_grant')
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  assert.ok(await soonHeard(scene.db, async () => (await scene.userinfo(access)).status === 401))
  assert.equal((await scene.refresh(application, nurses.refresh)).status, 200, 'nobody else is signed out')
  assert.equal(await signsIn(user.email, scene.password), false)
  assert.equal(await signsIn(user.email, FRESH), true)
  assert.match((await nextMail(scene.url, user.email, 2)).subject, /password for Handover was changed/)
})

test('of thirty-two uses at once one wins, and the link is used up', async () => {
  const user = await somebody()
  const link = await linkFor(user)
  const browser = new WebClient()
  const page = await browser.open(link)
  const answers = await Promise.all(
    Array.from({ length: 32 }, (_, n) => browser.submit(page, { password: `${FRESH} ${n}` })),
  )
  const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []))
  assert.equal(won.length, 1)
  assert.ok(answers.every(({ status }) => status === 200 || status === 400))
  assert.equal(await signsIn(user.email, `${FRESH} ${won[0]}`), true)
  assert.equal((await browser.get(link)).status, 400)
  assert.equal((await browser.submit(page, { password: 'yet another kite' })).status, 400)
})

test('two links of one person at once: one password is set, and both links are used up', async () => {
  const user = await somebody()
  const links = [await linkFor(user), await linkFor(user)]
  assert.notEqual(links[0], links[1])
  const answers = await Promise.all(links.map((link, n) => choose(link, `${FRESH} ${n}`)))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 400],
  )
  for (const link of links) assert.equal((await new WebClient().get(link)).status, 400)
})

test('looking at a link does not use it up; a quarter of an hour does', async () => {
  const user = await somebody()
  const link = await linkFor(user)
  for (let look = 0; look < 3; look += 1) assert.equal((await new WebClient().get(link)).status, 200)
  const secret = secretHash(new URL(link).searchParams.get('secret') ?? '')
  const [row] = await scene.db<Array<{ seconds: number }>>`
    select extract(epoch from expires_at - now())::int as seconds from password_resets where secret_hash = ${secret}`
  assert.ok(row && row.seconds > 890 && row.seconds <= 900)
  const browser = new WebClient()
  const page = await browser.open(link)
  await scene.db`update password_resets set expires_at = now() where secret_hash = ${secret}`
  assert.equal((await browser.get(link)).status, 400)
  assert.equal((await browser.submit(page, { password: FRESH })).status, 400)
  assert.equal(await signsIn(user.email, scene.password), true)
})

test('a password that is refused leaves the link good', async () => {
  const user = await somebody({ username: `flo-${randomUUID().slice(0, 6)}` })
  const link = await linkFor(user)
  const browser = new WebClient()
  const page = await browser.open(link)
  for (const password of ['', 'short', 'Password123', `x${user.username}x`]) {
    const answer = await browser.submit(page, { password })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /id="password-error"/)
  }
  assert.equal((await browser.submit(page, { password: FRESH, csrf: 'x' })).status, 403)
  assert.equal((await browser.submit(page, { password: FRESH })).status, 200)
})

test('in the browser that asked for it the person goes on to the application that waits', async () => {
  const user = await somebody()
  const browser = new WebClient()
  const login = await scene.visit(browser, application)
  const forgotten = /href="(\/oidc\/reset\?interaction=[^"]+)"/.exec(login.text)?.[1]
  assert.ok(forgotten)
  const asked = await browser.submit(await browser.open(scene.url + forgotten), { username: user.email })
  assert.equal(asked.status, 200)
  const link = linkIn(await nextMail(scene.url, user.email))
  const changed = await choose(link, FRESH, browser)
  const back = /href="(\/oidc\/login\?interaction=[^"]+)"/.exec(changed.text)?.[1]
  arrivalOf(await scene.signIn(browser, await browser.open(scene.url + back), user.email, FRESH))

  const other = new WebClient()
  const second = await linkFor(user, browser)
  const elsewhere = await choose(second, `${FRESH} 2`, other)
  const own = /href="(\/oidc\/login\?interaction=[^"]+)"/.exec(elsewhere.text)?.[1]
  const signedIn = await scene.signIn(other, await other.open(scene.url + own), user.email, `${FRESH} 2`)
  assert.equal(pathOf(signedIn), '/oidc/account', 'another browser goes to the person’s own page')
})

test('who was brought in without a password can set one, and their address is verified by it', async () => {
  const user = await somebody({ emailVerified: false }, null)
  assert.equal((await choose(await linkFor(user))).status, 200)
  const stored = await findUserByLogin(scene.db, user.email)
  assert.equal(stored?.user.emailVerified, true)
  assert.equal(await signsIn(user.email, FRESH), true)
})

test('known, unknown and blocked people look alike and cost no more than each other; only the mail tells', async () => {
  const user = await somebody()
  const blocked = await somebody()
  await scene.db`update users set blocked_at = now() where id = ${blocked.id}`
  const unknown = `${randomUUID()}@example.com`
  const { passwords } = scene.service.deps
  const { hash } = passwords
  passwords.hash = async () => assert.fail('nothing is hashed for a mail')
  const see = async (login: string) => plain(await ask(new WebClient(), login), login)
  try {
    assert.deepEqual(await see(user.email), await see(unknown))
    assert.deepEqual(await see(blocked.email), await see(`nobody.${randomUUID()}`))
  } finally {
    passwords.hash = hash
  }
  await nextMail(scene.url, user.email)
  assert.deepEqual([...(await mailsTo(scene.url, unknown)), ...(await mailsTo(scene.url, blocked.email))], [])
})

test('the mail goes to the stored address, whatever was typed to find it', async () => {
  const email = `Mike.${randomUUID()}@example.com`
  const user = await somebody({ email, username: `mike-${randomUUID().slice(0, 6)}` })
  const lookalike = email.replace('M', '\uff2d')
  for (const login of [lookalike, email.toUpperCase(), ` ${user.username?.toUpperCase()} `])
    assert.equal((await ask(new WebClient(), login)).status, 200)
  await nextMail(scene.url, email, 3)
  assert.deepEqual(await mailsTo(scene.url, lookalike), [])
})

test('the link is at the configured address, whatever Host says', async () => {
  const user = await somebody()
  const browser = new WebClient()
  const page = await browser.open(`${scene.url}/oidc/reset`)
  const elsewhere = await postWithHost('attacker.example', browser, page, { username: user.email })
  assert.equal(elsewhere.status, 421, 'demo mode answers to no other names')
  const answer = await postWithHost('127.0.0.1:1', browser, page, { username: user.email })
  assert.equal(answer.status, 200, answer.text)
  const link = linkIn(await nextMail(scene.url, user.email))
  assert.ok(link.startsWith(`${scene.url}/oidc/reset/password?`), link)
})

test('a new password lets in who was locked out by wrong guesses', async () => {
  const user = await somebody()
  const browser = new WebClient()
  const login = await scene.visit(browser, application)
  for (let failure = 0; failure < 10; failure += 1)
    await browser.submit(login, { username: user.email, password: 'no' })
  assert.equal((await browser.submit(login, { username: user.email, password: scene.password })).status, 429)
  assert.equal((await choose(await linkFor(user))).status, 200)
  assert.equal(await signsIn(user.email, FRESH), true)
})

test('the sixth mail for a name within a quarter of an hour is refused, known or not', async () => {
  for (const login of [(await somebody()).email, `${randomUUID()}@example.com`]) {
    for (let sent = 0; sent < 5; sent += 1) assert.equal((await ask(new WebClient(), login)).status, 200)
    assert.equal((await ask(new WebClient(), login.toUpperCase())).status, 429)
  }
})

test('neither link nor password reaches the log, and the database has only the hash', async () => {
  const user = await somebody()
  const link = await linkFor(user)
  const secret = new URL(link).searchParams.get('secret') ?? ''
  await choose(link)
  const log = scene.service.logged.join('\n')
  for (const hidden of [secret, FRESH, user.email]) assert.ok(!log.includes(hidden))
  assert.match(log, /"path":"\/oidc\/reset\/password"/)
  const rows = await scene.db<Array<{ row: string }>>`select password_resets::text as row from password_resets`
  assert.ok(rows.every(({ row }) => !row.includes(secret)))
})

test('a link that never was is answered with a page that offers another', async () => {
  for (const query of ['', '?secret=', '?secret=x', '?secret=%00', `?secret=${'a'.repeat(5_000)}`]) {
    const answer = await new WebClient().get(`${scene.url}/oidc/reset/password${query}`)
    assert.equal(answer.status, 400)
    assert.match(answer.text, /This link no longer works/)
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
  }
})

function plain({ status, text, headers }: WebAnswer, login: string): unknown {
  const names = [...headers.keys()]
  return { status, text: text.replaceAll(/[A-Za-z0-9_-]{43}/g, '…').replaceAll(login, '@'), names }
}
