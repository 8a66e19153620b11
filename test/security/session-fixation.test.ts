import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { arrivalOf, CALLBACK, FACILITY, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { startDeployed } from '../harness/deployed.ts'
import { verifiedClaims } from '../harness/verified-claims.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const SESSION = 'handover-session'
const application = await scene.client({ firstParty: true, implicit: true })

test('a session id that somebody chose is not taken over by a login', async () => {
  const chosen = 'x'.repeat(43)
  const browser = new WebClient()
  browser.setCookie(scene.url, SESSION, chosen)
  arrivalOf(await scene.signIn(browser, await scene.visit(browser, application)))
  assert.notEqual(browser.cookie(scene.url, SESSION), chosen)
  assert.ok(!(await isSignedIn(withSession(chosen))))
  assert.ok(await isSignedIn(browser))
})

test('the session that was there before a login is dead after it', async () => {
  const browser = await scene.signedIn()
  const before = browser.cookie(scene.url, SESSION)
  assert.ok(before)
  const page = await scene.visit(browser, application, { prompt: 'login' })
  arrivalOf(await scene.signIn(browser, page))
  assert.notEqual(browser.cookie(scene.url, SESSION), before)
  assert.ok(!(await isSignedIn(withSession(before))))
})

test('who signs in over somebody else ends that one’s session', async () => {
  const browser = await scene.signedIn()
  const nurse = browser.cookie(scene.url, SESSION)
  assert.ok(nurse)
  const page = await scene.visit(browser, application, { prompt: 'login' })
  arrivalOf(await scene.signIn(browser, page, FACILITY))
  assert.ok(!(await isSignedIn(withSession(nurse))))
})

test('a session planted in a browser that signs in later is not the one that gets signed in', async () => {
  const attacker = await scene.signedIn(FACILITY)
  const planted = attacker.cookie(scene.url, SESSION)
  assert.ok(planted)
  const victim = new WebClient()
  victim.setCookie(scene.url, SESSION, planted)
  arrivalOf(await scene.signIn(victim, await scene.visit(victim, application, { prompt: 'login' })))
  assert.ok(!(await isSignedIn(attacker)), 'it ended with the login')
})

test('a failed login leaves the session as it was', async () => {
  const browser = await scene.signedIn()
  const before = browser.cookie(scene.url, SESSION)
  const page = await scene.visit(browser, application, { prompt: 'login' })
  assert.equal((await scene.signIn(browser, page, FACILITY, 'wrong')).status, 400)
  assert.equal(browser.cookie(scene.url, SESSION), before)
  assert.ok(await isSignedIn(browser))
})

test('an ended session, one that idled three days and one of thirty days ago are dead', async () => {
  for (const change of [
    scene.db`ended_at = now()`,
    scene.db`last_seen_at = now() - interval '3 days 1 second'`,
    scene.db`expires_at = now() - interval '1 second'`,
  ]) {
    const browser = await scene.signedIn()
    assert.ok(await isSignedIn(browser))
    await scene.db`update sessions set ${change}`
    assert.ok(!(await isSignedIn(browser)))
  }
})

test('a session lives thirty days and no longer, however often it is used', async () => {
  const browser = await scene.signedIn()
  await scene.db`update sessions set last_seen_at = now() - interval '2 days', expires_at = now() + interval '1 day'`
  assert.ok(await isSignedIn(browser))
  const [row] = await scene.db<Array<{ seen: boolean; unchanged: boolean }>>`
    select last_seen_at > now() - interval '1 minute' as seen, expires_at <= now() + interval '1 day' as unchanged
    from sessions where ended_at is null order by last_seen_at desc limit 1`
  assert.deepEqual({ ...row }, { seen: true, unchanged: true })
})

test('a blocked person is signed out', async () => {
  const browser = await scene.signedIn(FACILITY)
  await scene.db`update users set blocked_at = now() where email_folded = ${FACILITY}`
  assert.ok(!(await isSignedIn(browser)))
  await scene.db`update users set blocked_at = null where email_folded = ${FACILITY}`
})

test('sid is not the cookie’s value, and the cookie cannot be derived from the database', async () => {
  const browser = await scene.signedIn()
  const cookie = browser.cookie(scene.url, SESSION)
  assert.match(cookie ?? '', /^[A-Za-z0-9_-]{43}$/)
  const { fields } = await scene.arrive(browser, application, { response_type: 'id_token' })
  const { claims } = await verifiedClaims(fields['id_token'] ?? '', scene.url)
  assert.ok(typeof claims['sid'] === 'string' && claims['sid'] !== '' && !cookie?.includes(claims['sid']))
  assert.ok(!(await isSignedIn(withSession(claims['sid']))))
  const stored = await scene.db<Array<{ row: string }>>`select sessions::text as row from sessions`
  assert.ok(stored.every(({ row }) => !row.includes(cookie ?? '')))
})

test('the cookies are HttpOnly, Lax and this host’s alone', async () => {
  const browser = new WebClient()
  const first = await browser.get(scene.address(application))
  const page = await browser.follow(first)
  const answer = await browser.submit(page, { username: 'nurse', password: scene.password })
  const cookies = [...first.headers.getSetCookie(), ...answer.headers.getSetCookie()]
  assert.deepEqual(cookies.map((line) => line.slice(0, line.indexOf('='))).toSorted(), ['handover-browser', SESSION])
  for (const line of cookies) {
    assert.match(line, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
    assert.doesNotMatch(line, /domain/i)
  }
})

test('over https the names say that they are this host’s (__Host-), they are Secure, and others’ names are not taken', async () => {
  const deployed = await startDeployed()
  try {
    const own = newApplication({ id: newId('app'), name: 'Test', type: 'web', redirectUris: [CALLBACK] })
    await insertApplication(deployed.database.db, own)
    const address = `${deployed.url}/oidc/authorize?client_id=${own.id}&response_type=code`
    const planted = { cookie: `handover-browser=${'x'.repeat(43)}; handover-session=${'x'.repeat(43)}` }
    const answer = await new WebClient().get(address, { 'x-forwarded-proto': 'https', ...planted })
    assert.equal(answer.status, 303)
    const [line = '', ...more] = answer.headers.getSetCookie()
    assert.deepEqual(more, [])
    assert.match(line, /^__Host-handover-browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/)
    assert.match(answer.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/)
  } finally {
    await deployed.stop()
  }
})

function withSession(cookie: string): WebClient {
  const browser = new WebClient()
  browser.setCookie(scene.url, SESSION, cookie)
  return browser
}

async function isSignedIn(browser: WebClient): Promise<boolean> {
  const answer = await browser.copy().open(scene.address(application))
  return answer.location !== null || pathOf(answer) !== '/oidc/login'
}
