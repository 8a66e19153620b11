import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { arrivalOf, FACILITY, NURSE, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)
beforeEach(() => scene.db`delete from failure_counts`)

/** Decision B18: ten in a quarter of an hour for an account at an address, a hundred an hour for an account. */
const FAILURES = 10
const application = await scene.client({ firstParty: true })

test('the eleventh failure is 429, and so is the right password then; another account is not affected', async () => {
  const { browser, page } = await atLogin()
  const answers = await fail(browser, page, NURSE, FAILURES + 1)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array<number>(FAILURES).fill(400), 429],
  )
  assert.match(answers.at(-1)?.text ?? '', /role="alert">Too many attempts/)
  assert.match(answers.at(-1)?.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal((await scene.signIn(browser, page, NURSE)).status, 429)
  assert.equal((await scene.signIn(browser, page, ' NURSE@Example.com ')).status, 429, 'written otherwise')
  const elsewhere = await atLogin()
  assert.equal((await scene.signIn(elsewhere.browser, elsewhere.page, NURSE)).status, 429, 'in another browser')
  assert.ok(arrivalOf(await scene.signIn(browser, page, FACILITY)).fields['code'])
})

test('guesses at the same moment do not slip through together', async () => {
  const { browser, page } = await atLogin()
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, turn) => browser.submit(page, { username: NURSE, password: `wrong ${turn}` })),
  )
  const times = (status: number, count: number) => Array<number>(count).fill(status)
  assert.deepEqual(
    guesses.map(({ status }) => status).toSorted((one, other) => one - other),
    [...times(400, FAILURES), ...times(429, 30 - FAILURES)],
  )
})

test('a right password in between begins the count anew', async () => {
  for (let round = 0; round < 2; round += 1) {
    const { browser, page } = await atLogin()
    await fail(browser, page, FACILITY, FAILURES - 1)
    assert.ok(arrivalOf(await scene.signIn(browser, page, FACILITY)).fields['code'])
  }
})

test('an account with a hundred failures is closed to strangers, and open to a browser that knows it', async () => {
  const known = await scene.signedIn()
  await useUp(NURSE)
  const { browser, page } = await atLogin()
  assert.equal((await scene.signIn(browser, page)).status, 429)
  const again = await scene.visit(known, application, { prompt: 'login' })
  assert.ok(arrivalOf(await scene.signIn(known, again)).fields['code'])
})

test('a browser that knows the account is held to its ten failures all the same, and knows no other account', async () => {
  const known = await scene.signedIn()
  const page = await scene.visit(known, application, { prompt: 'login' })
  assert.equal((await fail(known, page, NURSE, FAILURES + 1)).at(-1)?.status, 429)
  await useUp(FACILITY)
  assert.equal((await scene.signIn(known, page, FACILITY)).status, 429)
})

test('known and unknown people get the same answers, first to last', async () => {
  const strangers = ['nobody@example.com', 'nobody', NURSE, 'nurse', '']
  const told = await Promise.all(
    strangers.map(async (login) => {
      const { browser, page } = await atLogin()
      const answers = await fail(browser, page, login, FAILURES + 1)
      return answers.map((answer) => `${answer.status} ${withoutOwn(answer, login)}`)
    }),
  )
  for (const answers of told) assert.deepEqual(answers, told[0])
})

test('known, unknown and blocked people cost the same work: one password hash each, which is nearly all of the time', async () => {
  const { browser, page } = await atLogin()
  await scene.db`update users set blocked_at = now() where email_folded = 'nurse2@example.com'`
  const { passwords } = scene.service.deps
  const { verify } = passwords
  const hashed: string[] = []
  passwords.verify = (password, stored) => {
    hashed.push(stored.split('$').slice(0, 4).join('$'))
    return verify(password, stored)
  }
  try {
    for (const login of [FACILITY, 'nobody@example.com', 'nurse2@example.com']) {
      assert.equal((await browser.submit(page, { username: login, password: 'wrong' })).status, 400)
    }
  } finally {
    passwords.verify = verify
  }
  assert.deepEqual(hashed, Array(3).fill('$argon2id$v=19$m=19456,t=2,p=1'))
})

test('a blocked person is told what a wrong password is told', async () => {
  const { browser, page } = await atLogin()
  await scene.db`update users set blocked_at = now() where email_folded = 'facility2@example.com'`
  const blocked = await scene.signIn(browser, page, 'facility2@example.com')
  const wrong = await scene.signIn(browser, page, NURSE, 'wrong')
  assert.equal(blocked.status, 400)
  assert.equal(withoutOwn(blocked, 'facility2@example.com'), withoutOwn(wrong, NURSE))
})

/** As a hundred guesses from a hundred addresses leave it. */
async function useUp(login: string): Promise<void> {
  await scene.db`
    insert into failure_counts (key, failures, window_ends_at)
    values (${`sign-in ${login}`}, 100, now() + interval '1 hour')
    on conflict (key) do update set failures = 100`
}

async function atLogin(): Promise<{ browser: WebClient; page: WebAnswer }> {
  const browser = new WebClient()
  return { browser, page: await scene.visit(browser, application) }
}

async function fail(browser: WebClient, page: WebAnswer, username: string, times: number): Promise<WebAnswer[]> {
  const answers: WebAnswer[] = []
  for (let turn = 0; turn < times; turn += 1)
    answers.push(await browser.submit(page, { username, password: `wrong ${turn}` }))
  return answers
}

/** The page without what is this browser's own, or was typed. */
function withoutOwn({ text }: WebAnswer, login: string): string {
  return text
    .replaceAll(/(interaction|csrf)(" value="|=)[\w-]{43}/g, '$1')
    .replace(`autocomplete="username" value="${login}"`, '')
}
