import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { describeCharge } from '../../src/domain/limits/token-bucket.ts'
import { may } from '../../src/domain/teams/team.ts'
import { insertWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { portalRoutes } from '../../src/portal/routes.ts'
import { fingerprint } from '../harness/fingerprint.ts'
import { finishedRows } from '../harness/finished-rows.ts'
import { newAddress, startPortalScene } from '../harness/portal-scene.ts'
import { withRoutes } from '../harness/route-list.ts'
import { WebClient } from '../harness/web-client.ts'

const { started: scene, paths } = await withRoutes(startPortalScene)
after(scene.service.stop)

const ROLES = ['owner', 'developer', 'read-only'] as const

const owner = await scene.colleague('Owner')
const developer = await scene.colleague('Developer')
const reader = await scene.colleague('Reader')
const stranger = await scene.colleague('Stranger')
const team = await scene.team('Rota', [
  [owner, 'owner'],
  [developer, 'developer'],
  [reader, 'read-only'],
])
await scene.team('Elsewhere', [[stranger, 'owner']])
const { application, secret } = await scene.application(team)
await scene.db`
  insert into team_invitations (id, team_id, email, email_folded, role, secret_hash, expires_at)
  values ('tin_1', ${team}, 'i@example.com', 'i@example.com', 'owner', '\\x00', now() + interval '1 day')`
await scene.db`
  insert into support_requests (id, application_id, team_id, setting, wanted, reason)
  values ('sup_1', ${application}, ${team}, 'password-grant', '{}', 'Because')`
const webhook = newId('whk')
await insertWebhook(
  scene.db,
  scene.service.deps.cipher,
  {
    id: webhook,
    kind: 'facility',
    environment: 'sandbox',
    applicationId: application,
    userId: null,
    url: 'https://partner.example/hook',
    events: ['all'],
    facilities: [],
    secrets: ['tell nobody'],
  },
  1,
)
const [delivery = ''] = await finishedRows(scene.db, 1, { webhookId: webhook })
await scene.db`
  insert into replays (id, webhook_id, created_from, created_until, states, total, finished_at)
  values ('rpl_1', ${webhook}, now(), now(), '{failed}', 1, now())`

await scene.db`
  insert into command_line_logins (secret_hash, user_code, name, address, expires_at)
  values ('\\x00', 'BCDFGHJK', 'laptop', '127.0.0.1', now() + interval '1 hour')`
await scene.db`
  insert into command_line_keys (id, application_id, integrator_id, key_hash, name, expires_at)
  values ('clk_1', ${application}, ${owner.id}, '\\x00', 'laptop', now() + interval '1 day')`

const browsers = {
  owner: await scene.signedIn(owner),
  developer: await scene.signedIn(developer),
  'read-only': await scene.signedIn(reader),
  stranger: await scene.signedIn(stranger),
}

// When somebody was last seen is written down every five minutes, whatever they ask for, and is no change that these are about.
beforeEach(() => scene.db`update integrator_sessions set last_seen_at = now()`)

// The rules are read from the table itself; what they lead to is not asked here, so the parts may be the running service's own.
const { deps, addresses } = scene.service
const table = portalRoutes({
  db: deps.db,
  browsers: {
    db: deps.db,
    cookies: { read: () => null, set: () => {}, clear: () => {} },
    csrfKey: Buffer.alloc(32),
    origin: '',
  },
  passwords: deps.passwords,
  cipher: deps.cipher,
  clock: deps.clock,
  mailer: null,
  afterwards: { run: () => {}, stop: async () => {} },
  mailboxUrl: null,
  audiences: deps.config.audiences,
  limiter: { charge: () => describeCharge(1, { perSecond: 1, burst: 1 }, true, 0), stop: async () => {} },
  targets: { loopbackAllowed: true },
  bell: { ring: () => {}, listen: () => {}, stop: async () => {} },
  ...addresses,
})

const NAMED: Record<string, string> = {
  ':team': team,
  ':member': developer.id,
  ':application': application,
  ':secret': secret,
  ':environment': 'sandbox',
  ':webhook': webhook,
  ':delivery': delivery,
  ':replay': 'rpl_1',
  ':key': 'clk_1',
}
const address = (path: string) => scene.at(path.replaceAll(/:[a-z]+/g, (name) => NAMED[name] ?? name))
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' }
/** Whatever a form might want, so that only the rule stands between it and its effect. */
const tempting = () => ({
  name: 'Taken over',
  email: newAddress(),
  role: 'owner',
  invitation: 'tin_1',
  understood: 'on',
  setting: 'client-credentials',
  clientCredentials: 'on',
  reason: 'Please',
  request: 'sup_1',
  url: 'https://taken.example/over',
  'events.all': 'on',
  held: 'send',
  which: 'old',
  data: '{}',
  code: 'BCDF-GHJK',
  application,
  decision: 'allow',
})

async function csrfOf(browser: WebClient): Promise<string> {
  const page = await browser.get(scene.at('/account'))
  return /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
}

test('the table is all there is: every path that is hung has its rule', () => {
  const hung = new Set(paths.filter((path) => path === '/portal' || path.startsWith('/portal/')))
  assert.deepEqual(hung, new Set(table.map(({ path }) => `/portal${path}`)))
  assert.ok(table.length > 30)
})

for (const route of table.filter(({ who }) => who !== 'anyone')) {
  const name = `${route.method} /portal${route.path}`

  test(`303 to sign-in for nobody, and nothing changed: ${name}`, async () => {
    const nobody = new WebClient()
    const page = await nobody.open(scene.at('/sign-in'))
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const before = await fingerprint(scene.db)
    const answer =
      route.method === 'GET'
        ? await nobody.get(address(route.path))
        : await nobody.post(address(route.path), { ...tempting(), csrf }, SAME_ORIGIN)
    assert.equal(answer.status, 303)
    // The page that was asked for goes along, sealed.
    assert.equal(answer.location?.replace(/\?next=[\w-]+\.[\w-]{43}$/, ''), scene.at('/sign-in'))
    assert.deepEqual(await fingerprint(scene.db), before)
  })

  if (route.method === 'POST') {
    test(`403 without the form's own token, and nothing changed: ${name}`, async () => {
      const before = await fingerprint(scene.db)
      const tokens = [null, '', 'x'.repeat(43), await csrfOf(browsers.stranger)]
      for (const csrf of tokens) {
        const answer = await browsers.owner.post(address(route.path), { ...tempting(), csrf }, SAME_ORIGIN)
        assert.equal(answer.status, 403)
      }
      const right = await csrfOf(browsers.owner)
      const crossSite = { 'sec-fetch-site': 'cross-site' }
      assert.equal(
        (await browsers.owner.post(address(route.path), { ...tempting(), csrf: right }, crossSite)).status,
        403,
      )
      assert.deepEqual(await fingerprint(scene.db), before)
    })
  }
}

for (const { method, path, who } of table) {
  if (who === 'anyone' || who === 'signed-in') continue

  test(`404 for another team's owner, 403 for a role without the right: ${method} /portal${path}`, async () => {
    const before = await fingerprint(scene.db)
    const refused: Array<[WebClient, number]> = [
      [browsers.stranger, 404],
      ...ROLES.filter((role) => !may(role, who)).map((role): [WebClient, number] => [browsers[role], 403]),
    ]
    for (const [browser, status] of refused) {
      const csrf = method === 'POST' ? await csrfOf(browser) : ''
      const answer =
        method === 'GET'
          ? await browser.get(address(path))
          : await browser.post(address(path), { ...tempting(), csrf }, SAME_ORIGIN)
      assert.equal(answer.status, status)
      for (const words of ['Rota', owner.email, 'i@example.com'])
        assert.ok(!answer.text.includes(words) || status === 403)
      assert.ok(!answer.text.includes(owner.email))
    }
    assert.deepEqual(await fingerprint(scene.db), before)
  })

  if (method === 'GET') {
    test(`200 for every role that may, with a way to sign out: GET /portal${path}`, async () => {
      for (const role of ROLES.filter((each) => may(each, who))) {
        const { status, headers, text } = await browsers[role].get(address(path))
        assert.equal(status, 200, role)
        if (headers.get('content-type')?.startsWith('text/html'))
          assert.match(text, /action="\/portal\/sign-out"/, role)
      }
    })
  }
}

test('a member of one team cannot reach another team’s member or invitation through their own', async () => {
  const own = await scene.team('Own', [[stranger, 'owner']])
  const csrf = await csrfOf(browsers.stranger)
  const before = await fingerprint(scene.db)
  const at = (path: string) => scene.at(`/teams/${own}${path}`)
  assert.equal((await browsers.stranger.get(at(`/members/${developer.id}`))).status, 404)
  const role = await browsers.stranger.post(at(`/members/${developer.id}/role`), { csrf, role: 'owner' }, SAME_ORIGIN)
  assert.equal(role.status, 404)
  assert.equal((await browsers.stranger.post(at(`/members/${developer.id}/remove`), { csrf }, SAME_ORIGIN)).status, 404)
  for (const what of ['withdraw', 'send-again'])
    await browsers.stranger.post(at(`/invitations/${what}`), { csrf, invitation: 'tin_1' }, SAME_ORIGIN)
  assert.deepEqual(await fingerprint(scene.db), before)
})

test('a read-only member and a developer see no form that they may not send', async () => {
  for (const role of ['developer', 'read-only'] as const) {
    const { text } = await browsers[role].get(address('/teams/:team'))
    assert.doesNotMatch(text, /Two-factor<|invitations\/|\/members\/|Send the invitation|Rename/)
  }
})
