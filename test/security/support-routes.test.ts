import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication } from '../../src/domain/applications/application-store.ts'
import { giveToTeam } from '../../src/domain/applications/application-team-store.ts'
import { startIntegratorSession } from '../../src/domain/integrators/integrator-session-store.ts'
import { insertIntegrator } from '../../src/domain/integrators/integrator-store.ts'
import { startSession } from '../../src/domain/sessions/session-store.ts'
import { askSupport } from '../../src/domain/support-requests/support-request-store.ts'
import { insertTeam } from '../../src/domain/teams/team-store.ts'
import { insertUser } from '../../src/domain/users/user-store.ts'
import { insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { createCipher } from '../../src/platform/cipher.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/platform/ids.ts'
import { createPasswordHasher } from '../../src/platform/password-hash.ts'
import { supportRoutes } from '../../src/support/routes.ts'
import { DEPLOYED_AUTH_URL, startDeployed } from '../harness/deployed.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { withRoutes } from '../harness/route-list.ts'
import { agentsOf, STAFF_PASSWORD, signInAt } from '../harness/support-scene.ts'
import { WebClient } from '../harness/web-client.ts'

// As an operator runs it, where a second factor is required.
const { started: service, paths } = await withRoutes(startDeployed)
after(service.stop)
const { db } = service.database
const passwords = createPasswordHasher()
const cipher = createCipher(Buffer.alloc(32, 3))
const at = (path: string) => `${service.url}/support${path}`
const COOKIE = '__Host-handover-support'
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }

const ann = { id: newId('int'), email: 'ann@example.com', name: 'Ann' }
await insertIntegrator(db, { ...ann, passwordHash: 'none' })
const team = { id: newId('tem'), name: 'Rota', ownerId: ann.id }
const doing = { actor: { kind: 'integrator', id: ann.id, name: ann.email }, requestId: null } as const
await insertTeam(db, team, doing)
const application = newApplication({ id: newId('app'), name: 'Night rota', type: 'machine' })
await insertApplication(db, application)
await giveToTeam(db, team.id, [application.id])
const wanted = { clientCredentials: true }
const request = await askSupport(
  db,
  {
    teamId: team.id,
    applicationId: application.id,
    askedBy: ann.id,
    setting: 'client-credentials',
    wanted,
    reason: 'At night.',
  },
  doing,
)
const requestId = request.outcome === 'asked' ? request.id : ''
const nurse = { id: newId('usr'), email: 'n@example.com', name: 'N', role: 'NURSE_USER' as const }
await insertUser(db, {
  ...nurse,
  emailVerified: true,
  username: null,
  nickname: null,
  picture: null,
  phoneNumber: null,
  phoneNumberVerified: false,
  city: null,
  state: null,
  passwordHash: null,
})

const makeAgent = agentsOf(db, { passwords, cipher })
const agent = await makeAgent()
const half = await makeAgent('Half Way', { secondFactor: false })
const atDesk = await signInAt(service.url, agent)
const halfWay = await signInAt(service.url, half, false)

const other = { id: 'x'.repeat(43), userAgent: '', address: '127.0.0.1' }
const integratorCookie = await startIntegratorSession(db, ann.id, other)
const { cookie: personCookie, sid: personSid } = await startSession(db, nurse.id, other)
const [{ sid: integratorSid }] = await db<[{ sid: string }]>`select sid from integrator_sessions`

const webhook = await insertWebhook(
  db,
  cipher,
  {
    id: newId('whk'),
    kind: 'facility',
    environment: 'sandbox',
    applicationId: application.id,
    userId: null,
    url: 'https://partner.example/hook',
    events: ['all'],
    facilities: [],
    secrets: ['a secret'],
  },
  10,
)
const [delivery = ''] = await finishedRows(db, 1, { webhookId: webhook?.id ?? '' })

// When somebody was last seen is written down every five minutes, whatever they ask for, and is no change that these are about.
beforeEach(() => db`update staff_sessions set last_seen_at = now()`)

// The rules are read from the table itself; what they lead to is not asked here.
const table = supportRoutes({
  db,
  browsers: {
    db,
    cookies: { read: () => null, set: () => {}, clear: () => {} },
    csrfKey: Buffer.alloc(32),
    origin: '',
  },
  passwords,
  cipher,
  clock: systemClock,
  mailer: null,
  afterwards: { run: () => {}, stop: async () => {} },
  authUrl: DEPLOYED_AUTH_URL,
  audiences: { production: 'p', sandbox: 's' },
  bell: { ring: () => {}, listen: () => {}, stop: async () => {} },
  version: '0',
  secondFactorRequired: true,
})

/** What stands in the place of each parameter of a path: something that is there. */
const PARAMETERS: Record<string, string> = {
  application: application.id,
  team: team.id,
  request: requestId,
  setting: 'first-party',
  user: nurse.id,
  integrator: ann.id,
  webhook: webhook?.id ?? '',
  delivery,
}
const address = (path: string) => at(path.replaceAll(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? name))
/** Which of several is meant, where a page is about one of them. */
const which = (path: string) => {
  const session = path.startsWith('/users/') ? personSid : integratorSid
  return /\/(?:end-session|withdraw)$/.test(path) ? `?session=${session}&application=${application.id}` : ''
}
/** Whatever a form might want, so that only the rule stands between it and its effect. */
const tempting = {
  reason: 'Because.',
  note: 'No.',
  firstParty: 'on',
  seen: 'Off',
  session: 'ses_1',
  held: 'send',
  when: 'now',
  confirm: 'rotate',
  new_password: 'a b c d e f g',
}

async function csrfOf(browser: WebClient): Promise<string> {
  const page = await browser.open(at('/sign-in'))
  return /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
}

async function send(browser: WebClient, { method, path }: { method: string; path: string }, csrf?: string | null) {
  if (method === 'GET') return browser.get(address(path) + which(path))
  const token = csrf === undefined ? await csrfOf(browser) : csrf
  return browser.post(address(path), { ...tempting, csrf: token }, SAME_ORIGIN)
}

/** Nobody of staff, though each has a session of another kind, and shows it by the console's own cookie as well. */
function strangers(): Array<[who: string, browser: WebClient]> {
  const [nobody, integrator, person] = [new WebClient(), new WebClient(), new WebClient()]
  integrator.setCookie(service.url, '__Host-handover-portal', integratorCookie)
  integrator.setCookie(service.url, COOKIE, integratorCookie)
  person.setCookie(service.url, '__Host-handover-session', personCookie)
  person.setCookie(service.url, COOKIE, personCookie)
  return [
    ['nobody', nobody],
    ['an integrator', integrator],
    ['a person', person],
  ]
}

test('the table is all there is: every path that is hung has its rule', () => {
  const hung = new Set(paths.filter((path) => path === '/support' || path.startsWith('/support/')))
  assert.deepEqual(hung, new Set(table.map(({ path }) => `/support${path}`)))
  assert.ok(table.length > 25)
})

test('what opens an account to somebody else, or replaces keys, is sensitive', () => {
  const sensitive = table.filter(({ who }) => who === 'staff-sensitive').map(({ path }) => path)
  for (const account of ['/users/:user', '/integrators/:integrator'])
    for (const act of ['reset-password', 'remove-second-factor'])
      assert.ok(sensitive.includes(`${account}/${act}`), act)
  for (const path of ['/integrators/:integrator/remove-passkeys', '/health/rotate-keys'])
    assert.ok(sensitive.includes(path), path)
})

test('what changes an application without its team having asked is sensitive', () => {
  const sensitive = table.filter(({ who }) => who === 'staff-sensitive').map(({ path }) => path)
  for (const path of ['/settings/:setting', '/suspend', '/unsuspend'])
    assert.ok(sensitive.includes(`/applications/:application${path}`), path)
})

for (const route of table.filter(({ who }) => who !== 'anyone')) {
  const name = `${route.method} /support${route.path}`

  test(`303 to sign-in for nobody, an integrator and a person, and nothing changed: ${name}`, async () => {
    for (const [who, browser] of strangers()) {
      const csrf = await csrfOf(browser)
      const before = await fingerprint(db)
      const answer = await send(browser, route, csrf)
      assert.deepEqual([answer.status, answer.location], [303, at('/sign-in')], who)
      assert.deepEqual(await fingerprint(db), before, who)
    }
  })

  if (route.who !== 'signed-in') {
    test(`303 to the second factor for whoever has none, and nothing changed: ${name}`, async () => {
      const before = await fingerprint(db)
      const answer = await send(halfWay, route)
      assert.deepEqual([answer.status, answer.location], [303, at('/account/two-factor/set-up')])
      assert.deepEqual(await fingerprint(db), before)
    })
  }

  if (route.method === 'POST') {
    test(`403 without the form's own token, and nothing changed: ${name}`, async () => {
      const before = await fingerprint(db)
      for (const csrf of [null, '', 'x'.repeat(43), await csrfOf(halfWay)])
        assert.equal((await send(atDesk, route, csrf)).status, 403)
      const crossSite = { 'sec-fetch-site': 'cross-site' }
      const fields = { ...tempting, csrf: await csrfOf(atDesk) }
      assert.equal((await atDesk.post(address(route.path), fields, crossSite)).status, 403)
      assert.deepEqual(await fingerprint(db), before)
    })
  }

  if (route.method === 'GET' && route.who === 'staff') {
    test(`200 for staff, with a way to sign out: ${name}`, async () => {
      const { status, headers, text } = await send(atDesk, route)
      assert.equal(status, 200)
      if (headers.get('content-type')?.startsWith('text/html')) assert.match(text, /action="\/support\/sign-out"/)
    })
  }

  if (route.path.includes(':')) {
    test(`an id with a NUL behind it is nobody’s, and nothing changed: ${name}`, async () => {
      await db`update staff_sessions set auth_time = now() where staff_id = ${agent.id}`
      const csrf = await csrfOf(atDesk)
      const before = await fingerprint(db)
      const odd = address(route.path.replaceAll(/:\w+/g, '$&%00')) + which(route.path)
      const fields = { ...tempting, csrf }
      const answer = route.method === 'GET' ? await atDesk.get(odd) : await atDesk.post(odd, fields, SAME_ORIGIN)
      assert.equal(answer.status, 404)
      assert.deepEqual(await fingerprint(db), before)
    })
  }

  if (route.who === 'staff-sensitive') {
    test(`asks again who it is after ten minutes, and nothing changed: ${name}`, async () => {
      await db`update staff_sessions set auth_time = now() - interval '11 minutes' where staff_id = ${agent.id}`
      await db`delete from failure_counts`
      const before = await fingerprint(db)
      const asked = await send(atDesk, route)
      assert.equal(asked.status, 200)
      assert.match(asked.text, /Confirm that it is you/)
      assert.match(asked.text, /name="reason" value="Because\."/)
      assert.deepEqual(await fingerprint(db), before)
      const csrf = await csrfOf(atDesk)
      const without = { ...tempting, csrf, confirm_password: STAFF_PASSWORD }
      assert.equal((await atDesk.post(address(route.path), without, SAME_ORIGIN)).status, 400, 'no code')
      const wrong = { ...tempting, csrf, confirm_password: 'wrong', confirm_code: agent.recoveryCodes[0] ?? '' }
      assert.equal((await atDesk.post(address(route.path), wrong, SAME_ORIGIN)).status, 400, 'wrong password')
      const [row] = await db<[{ suspended: boolean; first_party: boolean }]>`
        select suspended_at is not null as suspended, first_party from applications where id = ${application.id}`
      assert.deepEqual(row, { suspended: false, first_party: false })
      const [session] = await db<[{ fresh: boolean }]>`
        select auth_time > now() - interval '10 minutes' as fresh from staff_sessions where staff_id = ${agent.id}`
      assert.equal(session.fresh, false)
    })
  }
}

test('staff without a second factor reach the page that sets it up, and can leave', async () => {
  const page = await halfWay.get(at('/account/two-factor/set-up'))
  assert.equal(page.status, 200)
  assert.match(page.text, /Scan this with your authenticator app/)
})

test('over https the cookie is this host’s alone, for twelve hours', async () => {
  const browser = new WebClient()
  const page = await browser.open(at('/sign-in'))
  const answer = await browser.submit(page, { email: half.email, password: STAFF_PASSWORD })
  const [cookie = ''] = answer.headers.getSetCookie().filter((line) => line.includes('handover-support='))
  assert.match(cookie, /^__Host-handover-support=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200$/)
})

test('no password, code, link or cookie reaches the log', async () => {
  const secret = 'S'.repeat(43)
  await new WebClient().open(at(`/password?secret=${secret}`))
  const cookie = atDesk.cookie(service.url, COOKIE) ?? 'none'
  for (const words of [secret, STAFF_PASSWORD, cookie, agent.recoveryCodes[0] ?? 'none'])
    assert.ok(!service.logged.some((line) => line.includes(words)), words)
})
