import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allowScope } from '../../src/domain/consents/consent-store.ts'
import { findReset, startReset } from '../../src/domain/sessions/password-reset-store.ts'
import { checkPassword } from '../../src/domain/users/check-password.ts'
import { assertError } from '../harness/answer.ts'
import { assertProblem } from '../harness/api-client.ts'
import { arrivalOf } from '../harness/authorize-scene.ts'
import { linkIn, mailsTo, nextMail } from '../harness/demo-mail.ts'
import { enrol } from '../harness/one-time-codes.ts'
import { assertNothing, dataOf, personOf, startPlatformScene } from '../harness/platform-scene.ts'
import { startSecondProcess } from '../harness/second-process.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPlatformScene()
after(scene.service.stop)
const second = await startSecondProcess(scene.service)
after(second.stop)
const { db, production, sandbox } = scene
const application = await scene.client({ firstParty: true })

const PASSWORD = 'ultramarine kite 4'

/** Somebody whom the marketplace made, with a password, as after setting one by the mailed link. */
async function somebody(
  id: string,
  more: Record<string, unknown> = {},
  by = production,
): Promise<{ id: string; email: string }> {
  const person = dataOf(await by.put(`/people/${id}`, personOf(id, more)), 201)
  await db`update users set password_hash = ${await scene.service.deps.passwords.hash(PASSWORD)} where id = ${id}`
  return { id, email: String(person['email']) }
}

async function signIn(email: string, password = PASSWORD): Promise<{ browser: WebClient; isIn: boolean }> {
  const browser = new WebClient()
  const answer = await scene.signIn(browser, await scene.visit(browser, application), email, password)
  return { browser, isIn: answer.location !== null }
}

/** Everything that a person can hold: a session, and what applications got for them. */
async function everythingOf({ id, email }: { id: string; email: string }) {
  const { browser, isIn } = await signIn(email)
  assert.ok(isIn)
  const tokens = await scene.grant(application, { userId: id })
  const code = await scene.code(application, { userId: id })
  assert.equal((await scene.userinfo(tokens.access, second.url)).status, 200)
  return { browser, ...tokens, code }
}

async function assertAllOver({
  browser,
  access,
  refresh,
  code,
}: Awaited<ReturnType<typeof everythingOf>>): Promise<void> {
  assert.ok(
    await soonHeard(db, async () => (await scene.userinfo(access, second.url)).status === 401),
    'at the other process',
  )
  assert.ok(await soonHeard(db, async () => (await scene.userinfo(access)).status === 401))
  assertError(await scene.refresh(application, refresh, {}, second.url), 400, 'invalid_grant')
  assertError(await scene.exchange(application, code), 400, 'invalid_grant')
  const silent = await scene.visit(browser, application, { prompt: 'none' })
  assert.equal(arrivalOf(silent).fields['error'], 'login_required')
}

test('deleting a person ends everything within a second on every process, and an account with the same id inherits nothing', async () => {
  const person = await somebody('deleted')
  const held = await everythingOf(person)
  assertNothing(await production.delete('/people/deleted'))
  await assertAllOver(held)
  assert.equal((await signIn(person.email)).isIn, false)
  assert.equal((await production.put('/people/deleted', personOf('deleted'))).status, 201)
  await assertAllOver(held)
  assert.equal((await signIn(person.email)).isIn, false, 'the new one has no password')
})

test('blocking a person ends everything within a second on every process; unblocking gives back the right to sign in, and nothing else', async () => {
  const person = await somebody('blocked')
  const held = await everythingOf(person)
  const link = await startReset(db, person)
  assert.equal(dataOf(await production.put('/people/blocked', personOf('blocked', { blocked: true })))['blocked'], true)
  await assertAllOver(held)
  assert.equal((await signIn(person.email)).isIn, false)
  assert.equal(await startReset(db, person), null, 'nor is a link mailed')
  // What slipped through at the very moment, past every check.
  const slipped = await scene.code(application, { userId: person.id })
  assert.equal(
    dataOf(await production.put('/people/blocked', personOf('blocked', { blocked: false })))['blocked'],
    false,
  )
  assert.equal(await findReset(db, link ?? ''), null)
  assertError(await scene.exchange(application, slipped), 400, 'invalid_grant')
  await assertAllOver(held)
  assert.equal((await signIn(person.email)).isIn, true)
  // A token of the very second counts as older than the revocation.
  const isBack = async () =>
    (await scene.userinfo((await scene.grant(application, { userId: person.id })).access)).status === 200
  assert.ok(await soon(isBack, PATIENCE_MS))
})

test('a batch blocks and deletes as one person does', async () => {
  const people = [await somebody('batch-a'), await somebody('batch-b')]
  const held = await Promise.all(people.map(everythingOf))
  const said = people.map(({ id }) => ({ id, ...personOf(id, { blocked: true }) }))
  assert.equal((await production.post('/people/batch', said)).status, 200)
  for (const each of held) await assertAllOver(each)
  assertNothing(
    await production.post(
      '/people/batch-delete',
      people.map(({ id }) => id),
    ),
  )
  assert.equal((await scene.userinfo((await scene.grant(application)).access)).status, 200, 'nobody else is signed out')
})

test('who registered an address that nobody had verified keeps nothing when the marketplace speaks of the account', async () => {
  const person = await somebody('registered', { emailVerified: false })
  const held = await everythingOf(person)
  await enrol(scene.service, person.id)
  await allowScope(db, { userId: person.id, applicationId: application.id, audience: null }, ['openid'])
  const link = await startReset(db, person)
  const said = dataOf(await production.put('/people/registered', personOf('registered')))
  assert.equal(said['emailVerified'], true)
  await assertAllOver(held)
  assert.equal((await signIn(person.email)).isIn, false, 'the password is gone')
  assert.equal(await findReset(db, link ?? ''), null)
  const [left] = await db<[{ count: number }]>`
    select (select count(*) from totp_secrets where user_id = 'registered')::int + (select count(*) from consents where user_id = 'registered')::int
      + (select count(*) from known_browsers where user_id = 'registered')::int as count`
  assert.equal(left.count, 0)
})

test('a password that is taken away or a block that comes while it is being checked: it opens nothing', async () => {
  const { passwords } = scene.service.deps
  for (const [id, change] of [
    ['slow-a', {}],
    ['slow-b', { blocked: true }],
  ] as const) {
    const { email } = await somebody(id, { emailVerified: false })
    const overtaken: typeof passwords = {
      ...passwords,
      verify: async (password, hash) => {
        const verdict = await passwords.verify(password, hash)
        assert.equal((await production.put(`/people/${id}`, personOf(id, change))).status, 200)
        return verdict
      },
    }
    assert.deepEqual(await checkPassword(db, overtaken, email, PASSWORD), { outcome: 'refused' })
  }
})

test('an account whose address is verified stays as it is when the marketplace speaks of it again', async () => {
  const person = await somebody('steady')
  const { browser, access, refresh } = await everythingOf(person)
  for (const more of [{ name: 'Other' }, { email: 'steady-2@people.example' }])
    assert.equal((await production.put('/people/steady', personOf('steady', more))).status, 200)
  assert.equal((await scene.userinfo(access)).status, 200)
  assert.equal((await scene.refresh(application, refresh)).status, 200)
  assert.ok(arrivalOf(await scene.visit(browser, application, { prompt: 'none' })).fields['code'])
  assert.equal((await signIn('steady-2@people.example')).isIn, true)
})

test('another address ends links for a new password, and none goes to the address before', async () => {
  const person = await somebody('moves')
  const link = await startReset(db, person)
  await production.put('/people/moves', personOf('moves', { city: 'Salem', email: 'MOVES@people.example' }))
  assert.ok(await findReset(db, link ?? ''), 'the same address in another case is no other one')
  await production.put('/people/moves', personOf('moves', { email: 'moved@people.example' }))
  assert.equal(await findReset(db, link ?? ''), null)
  assert.equal(await startReset(db, person), null, 'the address was read before it changed')
  assert.deepEqual(await mailsTo(scene.url, person.email), [])
})

test('who was made by the marketplace sets a password by the mailed link, which verifies the address', async () => {
  await production.put('/people/invited', personOf('invited', { emailVerified: false }))
  const email = 'invited@people.example'
  const browser = new WebClient()
  const asked = await browser.submit(await browser.open(`${scene.url}/oidc/reset`), { username: email })
  assert.equal(asked.status, 200)
  const link = linkIn(await nextMail(scene.url, email))
  assert.equal((await browser.submit(await browser.open(link), { password: PASSWORD })).status, 200)
  assert.equal(dataOf(await production.get('/people/invited'))['emailVerified'], true)
  assert.equal((await signIn(email)).isIn, true)
  assert.equal((await production.put('/people/invited', personOf('invited'))).status, 200)
  assert.equal((await signIn(email)).isIn, true, 'a proven account keeps its password')
})

test('a sandbox key takes over nobody: what it set up under an id ends when production speaks of that id', async () => {
  const planted = await somebody('claimed', { email: 'attacker@people.example' }, sandbox)
  const held = await everythingOf(planted)
  const adopted = dataOf(await production.put('/people/claimed', personOf('claimed')))
  assert.deepEqual([adopted['madeIn'], adopted['email']], ['production', 'claimed@people.example'])
  await assertAllOver(held)
  for (const email of ['attacker@people.example', 'claimed@people.example'])
    assert.equal((await signIn(email)).isIn, false)
  assertProblem(await sandbox.put('/people/claimed', personOf('claimed')), 403, 'not_a_sandbox_person')
})

test('thirty exchanges at the moment of a deletion: a token or invalid_grant, never a fault, and no token outlives it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const person = await somebody(`racing-${round}`)
    const codes = await Promise.all([1, 2, 3].map(() => scene.code(application, { userId: person.id })))
    const exchanges = codes.map((code) => scene.exchange(application, code))
    const deleted = production.delete(`/people/${person.id}`)
    const answers = await Promise.all(exchanges)
    assertNothing(await deleted)
    for (const answer of answers) {
      if (answer.status !== 200) {
        assertError(answer, 400, 'invalid_grant')
        continue
      }
      assert.ok(
        await soonHeard(db, async () => (await scene.userinfo(String(answer.body['access_token']))).status === 401),
      )
      assertError(await scene.refresh(application, String(answer.body['refresh_token'])), 400, 'invalid_grant')
    }
  }
})
