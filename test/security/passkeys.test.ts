import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Authenticator, type Tweak } from '../harness/authenticator.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  csrfIn,
  finishPasskeySignIn,
  sendPasskey,
  signInWith,
} from '../harness/passkey-steps.ts'
import { PORTAL_PASSWORD, startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const ann = await scene.colleague('Ann')
const anns = await scene.signedIn(ann)
const authenticator = await addPasskey(scene, anns)

async function isIn(browser: WebClient): Promise<boolean> {
  return (await browser.get(scene.at('/account'))).status === 200
}

const DISHONEST: Record<string, Tweak> = {
  'another origin': { origin: 'https://evil.example' },
  'our host on another port': { origin: 'http://localhost:1' },
  'another host': { rpId: 'evil.example' },
  'nobody was verified': { userVerified: false },
  'made for another purpose': { type: 'webauthn.create' },
}

for (const [what, tweak] of Object.entries(DISHONEST)) {
  test(`400, and nobody is in: ${what}`, async () => {
    const browser = new WebClient()
    const answer = await signInWith(scene, browser, authenticator, tweak)
    assert.equal(answer.status, 400)
    assert.match(answer.text, /That passkey did not work/)
    assert.ok(!(await isIn(browser)))
  })

  test(`400, and nothing is added: ${what}`, async () => {
    const { page, options } = await beginPasskey(scene, anns)
    const turned = what === 'made for another purpose' ? { type: 'webauthn.get' } : tweak
    const answer = await sendPasskey(anns, page, new Authenticator(scene.url).create(options, turned))
    assert.equal(answer.status, 400)
    assert.match(answer.text, /No passkey was added/)
  })
}

test('400: what signed in once does not sign in again, in the same browser or another', async () => {
  const browser = new WebClient()
  const { page, options } = await beginPasskeySignIn(scene, browser)
  const credential = authenticator.get(options)
  const other = browser.copy()
  assert.equal((await finishPasskeySignIn(scene, browser, page, credential)).status, 303)
  assert.equal((await finishPasskeySignIn(scene, other, page, credential)).status, 400)
  const again = await beginPasskeySignIn(scene, new WebClient())
  assert.equal((await finishPasskeySignIn(scene, new WebClient(), again.page, credential)).status, 403)
  const third = new WebClient()
  const begun = await beginPasskeySignIn(scene, third)
  assert.equal((await finishPasskeySignIn(scene, third, begun.page, credential)).status, 400)
})

test('of the same answer sent five times at once one signs in', async () => {
  const browser = new WebClient()
  const { page, options } = await beginPasskeySignIn(scene, browser)
  const credential = authenticator.get(options)
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => finishPasskeySignIn(scene, browser.copy(), page, credential)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((less, more) => less - more),
    [303, 400, 400, 400, 400],
  )
})

test('a wrong answer spends the challenge, and so do five minutes', async () => {
  const browser = new WebClient()
  const { page, options } = await beginPasskeySignIn(scene, browser)
  assert.equal((await finishPasskeySignIn(scene, browser, page, '{}')).status, 400)
  assert.equal((await finishPasskeySignIn(scene, browser, page, authenticator.get(options))).status, 400)

  const late = await beginPasskeySignIn(scene, browser)
  const [row] = await scene.db<[{ seconds: number }]>`
    select max(extract(epoch from expires_at - now()))::int as seconds from integrator_passkey_challenges`
  assert.ok(row.seconds <= 300)
  await scene.db`update integrator_passkey_challenges set expires_at = now()`
  assert.equal((await finishPasskeySignIn(scene, browser, late.page, authenticator.get(late.options))).status, 400)
})

test('a challenge is good only in the browser that asked, for what it was asked, and the newest only', async () => {
  const [victim, thief] = [new WebClient(), new WebClient()]
  const { options } = await beginPasskeySignIn(scene, victim)
  const own = await beginPasskeySignIn(scene, thief)
  assert.equal((await finishPasskeySignIn(scene, thief, own.page, authenticator.get(options))).status, 400)

  const { options: toAdd } = await beginPasskey(scene, anns)
  const browser = anns.copy()
  const signIn = await browser.get(scene.at('/account'))
  const fields = { csrf: csrfIn(signIn), credential: authenticator.get({ ...toAdd, rpId: 'localhost' }) }
  const crossed = await browser.post(scene.at('/sign-in/passkey'), fields, { 'sec-fetch-site': 'same-origin' })
  assert.equal(crossed.status, 400)

  const first = await beginPasskeySignIn(scene, victim)
  await beginPasskeySignIn(scene, victim)
  assert.equal((await finishPasskeySignIn(scene, victim, first.page, authenticator.get(first.options))).status, 400)
})

test('a challenge to add one is its owner’s: not for whoever signs in next in that browser, nor after a new password', async () => {
  const bob = await scene.colleague('Bob')
  const browser = await scene.signedIn(bob)
  const { options } = await beginPasskey(scene, browser)
  const eve = await scene.colleague('Eve')
  const hers = await scene.signedIn(eve)
  browser.setCookie(scene.url, 'handover-portal', hers.cookie(scene.url, 'handover-portal') ?? '')
  const account = await browser.get(scene.at('/account'))
  const fields = { csrf: csrfIn(account), name: 'Eve’s', credential: new Authenticator(scene.url).create(options) }
  const answer = await browser.post(scene.at('/account/passkeys'), fields, { 'sec-fetch-site': 'same-origin' })
  assert.equal(answer.status, 400)

  const begun = await beginPasskey(scene, hers)
  const change = await hers.open(scene.at('/account/password'))
  const fresh = { password: PORTAL_PASSWORD, new_password: 'another long secret' }
  assert.equal((await submitTo(hers, change, '/account/password', fresh)).status, 303)
  const late = await sendPasskey(hers, begun.page, new Authenticator(scene.url).create(begun.options))
  assert.equal(late.status, 400)
  assert.deepEqual(
    [...(await scene.db`select 1 from integrator_passkeys where integrator_id in (${bob.id}, ${eve.id})`)],
    [],
  )
})

test('none is added by a form that was under way while its session ended', async () => {
  const bob = await scene.colleague('Bob')
  const browser = await scene.signedIn(bob)
  const { page, options } = await beginPasskey(scene, browser)
  const { sent } = await scene.db.begin(async (tx) => {
    await tx`select 1 from integrators where id = ${bob.id} for update`
    await tx`update integrator_sessions set ended_at = now() where integrator_id = ${bob.id}`
    const sending = sendPasskey(browser, page, new Authenticator(scene.url).create(options))
    const waits = async () =>
      (await scene.db`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        .length > 0
    assert.ok(await soon(waits, PATIENCE_MS), 'it waits for the account')
    return { sent: sending }
  })
  assert.equal((await sent).location, scene.at('/sign-in'))
  assert.equal((await scene.db`select 1 from integrator_passkeys where integrator_id = ${bob.id}`).length, 0)
})

test('400: another account’s name with one’s own key, one’s own name with another’s, and a key that is not known', async () => {
  const bob = await scene.colleague('Bob')
  const bobs = await addPasskey(scene, await scene.signedIn(bob))
  const handle = (id: string) => Buffer.from(id).toString('base64url')
  const browser = new WebClient()
  const id = authenticator.credentialId.toString('base64url')
  for (const tweak of [
    { userHandle: handle(ann.id) },
    { id },
    { id, userHandle: handle(ann.id) },
    { id: 'A'.repeat(43) },
    { userHandle: '' },
  ])
    assert.equal((await signInWith(scene, browser, bobs, tweak)).status, 400)
  assert.ok(!(await isIn(browser)))
  assert.equal((await signInWith(scene, browser, new Authenticator(scene.url))).status, 400)
})

test('400: a credential that an account has is not added to another, nor twice', async () => {
  const eve = await scene.colleague('Eve')
  const hers = await scene.signedIn(eve)
  for (const browser of [hers, anns]) {
    const { page, options } = await beginPasskey(scene, browser)
    const answer = await sendPasskey(browser, page, authenticator.create(options))
    assert.equal(answer.status, 400)
    assert.match(answer.text, /belongs to an account already/)
  }
  authenticator.create({ challenge: '', user: { id: Buffer.from(ann.id).toString('base64url') } })
  assert.equal((await signInWith(scene, new WebClient(), authenticator)).status, 303)
})

test('400 when the key’s count stands still or goes back: it was copied', async () => {
  const bob = await scene.colleague('Bob')
  const counting = await addPasskey(scene, await scene.signedIn(bob))
  const use = async (counter: number) => (await signInWith(scene, new WebClient(), counting, { counter })).status
  assert.deepEqual(
    [await use(4_000_000_000), await use(4_000_000_000), await use(3), await use(0)],
    [303, 400, 400, 400],
  )
  assert.equal(await use(4_000_000_001), 303)
})

test('400: attestation with certificates is not looked into, for it names addresses to fetch', async () => {
  const statement = new Map<unknown, unknown>([
    ['alg', -7],
    ['sig', Buffer.alloc(64)],
    ['x5c', [Buffer.alloc(300, 1)]],
  ])
  for (const fmt of ['packed', 'none', 'tpm', 'apple', 'android-key', 'android-safetynet', 'fido-u2f', 'unheard-of']) {
    const { page, options } = await beginPasskey(scene, anns)
    const made = new Authenticator(scene.url).create(options, { fmt, statement })
    assert.equal((await sendPasskey(anns, page, made)).status, 400, fmt)
  }
})

test('400 and no bug for whatever else is sent as a credential', async () => {
  const deep = Buffer.alloc(15_000, 0x81).toString('base64url')
  const answer = (response: unknown) => JSON.stringify({ id: 'AA', rawId: 'AA', type: 'public-key', response })
  const texts = [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '['.repeat(15_000),
    JSON.stringify({ __proto__: { id: 'x' } }),
    answer(null),
    answer({ clientDataJSON: 1, attestationObject: {}, authenticatorData: [], signature: null, userHandle: 'AA' }),
    answer({
      clientDataJSON: 'AA',
      attestationObject: deep,
      authenticatorData: deep,
      signature: 'AA',
      userHandle: 'AA',
    }),
    answer({
      clientDataJSON: deep,
      attestationObject: 'AA',
      authenticatorData: 'AA',
      signature: 'AA',
      userHandle: 'AA',
    }),
  ]
  for (const text of texts) {
    const browser = new WebClient()
    const signIn = await beginPasskeySignIn(scene, browser)
    assert.equal((await finishPasskeySignIn(scene, browser, signIn.page, text)).status, 400, text.slice(0, 60))
    const { page } = await beginPasskey(scene, anns)
    assert.equal((await sendPasskey(anns, page, text)).status, 400, text.slice(0, 60))
  }
  assert.ok(!scene.service.logged.some((line) => line.includes('request failed')))
})

test('429 after sixty failures from one address, with Retry-After; signing in rightly costs nothing', async () => {
  await scene.db`delete from failure_counts`
  assert.equal((await signInWith(scene, new WebClient(), authenticator)).status, 303)
  const [free] = await scene.db<Array<{ failures: number }>>`
    select failures from failure_counts where key like 'passkey sign-in from %'`
  assert.equal(free?.failures ?? 0, 0)
  await scene.db`
    insert into failure_counts (key, failures, window_ends_at)
    select replace(key, 'challenge', 'sign-in'), 60, now() + interval '1 minute' from failure_counts
    where key like 'passkey challenge from %'
    on conflict (key) do update set failures = 60, window_ends_at = excluded.window_ends_at`
  const refused = await signInWith(scene, new WebClient(), authenticator)
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await scene.db`update failure_counts set failures = 300 where key like 'passkey challenge from %'`
  const browser = new WebClient()
  const page = await browser.open(scene.at('/sign-in'))
  const before = await fingerprint(scene.db)
  const challenge = await browser.post(
    scene.at('/sign-in/passkey/challenge'),
    { csrf: csrfIn(page) },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(challenge.status, 429)
  assert.ok(Number(challenge.headers.get('retry-after')) > 0)
  assert.deepEqual(await fingerprint(scene.db), before)
  await scene.db`delete from failure_counts`
})

test('nothing of a credential reaches the log', async () => {
  const browser = new WebClient()
  const { page, options } = await beginPasskeySignIn(scene, browser)
  const credential = authenticator.get(options)
  await finishPasskeySignIn(scene, browser, page, credential)
  for (const words of [options.challenge, authenticator.credentialId.toString('base64url'), credential])
    assert.ok(!scene.service.logged.some((line) => line.includes(words)))
})
