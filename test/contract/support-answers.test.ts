import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Doing } from '../../src/domain/audit/audit.ts'
import { answerRequest } from '../../src/domain/support-requests/answer-store.ts'
import { applySupportSetting } from '../../src/domain/support-requests/apply-setting-store.ts'
import { openRequestsOf } from '../../src/domain/support-requests/request-list-store.ts'
import { SUPPORT_SETTINGS } from '../../src/domain/support-requests/setting-definitions.ts'
import { askSupport } from '../../src/domain/support-requests/support-request-store.ts'
import { requestAnsweredMail } from '../../src/ui/support-mails.ts'
import { STAFF, startAsking } from '../harness/asking-support.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { soonHeard } from '../harness/soon.ts'

const scene = await startPortalScene()
after(scene.service.stop)

async function tokenStatus(application: string, clientSecret: string): Promise<number> {
  const answer = await fetch(`${scene.url}/oidc/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${application}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      audience: scene.service.deps.config.audiences.sandbox,
    }),
  })
  return answer.status
}

test('client_credentials refused → asked for → approved → works at once, and every step is in the log', async () => {
  const { ann, application, clientSecret, ask, page, onlyRequest, written } = await startAsking(scene)
  assert.equal(await tokenStatus(application, clientSecret), 400)
  const answer = await ask('client-credentials', { clientCredentials: 'on', reason: 'Nightly\nimports' })
  assert.equal(answer.status, 303, answer.text)
  const shown = await page()
  assert.match(shown.text, /waiting for support/)
  assert.match(shown.text, /Client credentials: On/)
  assert.equal(await tokenStatus(application, clientSecret), 400, 'asking changes nothing')

  const { id } = await onlyRequest()
  const verdict = { id, verdict: 'approved', answer: 'Welcome <b>aboard</b>', by: 'Sam' } as const
  const outcome = await answerRequest(scene.db, verdict, STAFF)
  assert.deepEqual(outcome.outcome === 'done' && outcome.asker, ann.email)
  assert.ok(await soonHeard(scene.db, async () => (await tokenStatus(application, clientSecret)) === 200))
  const answered = await page()
  assert.match(answered.text, /approved/)
  assert.match(answered.text, /Welcome &lt;b&gt;aboard&lt;\/b&gt;/)
  assert.deepEqual(await written(), [
    {
      action: 'support.asked',
      actor_kind: 'integrator',
      before: { 'Client credentials': 'Off' },
      after: { 'Client credentials': 'On', reason: 'Nightly\nimports' },
    },
    {
      action: 'support.approved',
      actor_kind: 'staff',
      before: { 'Client credentials': 'Off' },
      after: { 'Client credentials': 'On', answer: 'Welcome <b>aboard</b>' },
    },
  ])
})

test('denied: nothing changes, and the answer is shown', async () => {
  const { application, ask, page, onlyRequest } = await startAsking(scene)
  await ask('password-grant', { passwordGrant: 'on', reason: 'An old system' })
  const { id } = await onlyRequest()
  const outcome = await answerRequest(scene.db, { id, verdict: 'denied', answer: 'Use our pages', by: 'Sam' }, STAFF)
  assert.equal(outcome.outcome, 'done')
  const shown = await page()
  assert.match(shown.text, /denied/)
  assert.match(shown.text, /Use our pages/)
  const [row] = await scene.db<[{ password_grant: boolean }]>`
    select password_grant from applications where id = ${application}`
  assert.equal(row.password_grant, false)
})

test('every setting can be asked for by its form, and approving it makes it so', async () => {
  const { application, browser, page } = await startAsking(scene, { suspended: true })
  const wanted: Record<string, Record<string, string | null>> = {
    'api-scopes': { 'apiScopes.marketplace:write': null },
    environments: { 'environments.production': null },
    'token-authentication': { tokenEndpointAuthentication: 'basic' },
    'post-logout-uris': { postLogoutRedirectUris: 'https://a.example/out\r\ncom.example.app:/out' },
    'refresh-lifetime': { refreshLifetimeDays: '7' },
    'refresh-leeway': { refreshLeewaySeconds: '30' },
    'token-rate': { ratePerSecond: '7', rateBurst: '8' },
    'api-rate': { apiRatePerSecond: '9', apiRateBurst: '10' },
    'webhook-limits': { webhooksPerPerson: '11', webhooksPerApplication: '12' },
  }
  for (const setting of SUPPORT_SETTINGS) {
    const form = await page(`?setting=${setting}`)
    const answer = await submitTo(browser, form, '/support', { ...wanted[setting], reason: 'Because' })
    assert.equal(answer.status, 303, `${setting}: ${answer.text}`)
  }
  const open = await openRequestsOf(scene.db, application)
  assert.deepEqual(open.map(({ setting }) => setting).toSorted(), SUPPORT_SETTINGS.toSorted())
  for (const { id } of open) {
    const outcome = await answerRequest(scene.db, { id, verdict: 'approved', answer: null, by: 'Sam' }, STAFF)
    assert.equal(outcome.outcome, 'done')
  }
  const [row] = await scene.db`
    select client_credentials, password_grant, token_endpoint_authentication, api_scopes, environments, first_party,
      post_logout_redirect_uris, refresh_lifetime_seconds, refresh_rotating, refresh_leeway_seconds, rate_per_second,
      rate_burst, api_rate_per_second, api_rate_burst, webhooks_per_person, webhooks_per_application, suspended_at
    from applications where id = ${application}`
  assert.deepEqual(
    { ...row },
    {
      client_credentials: true,
      password_grant: true,
      token_endpoint_authentication: 'basic',
      api_scopes: ['marketplace:read'],
      environments: ['sandbox'],
      first_party: true,
      post_logout_redirect_uris: ['https://a.example/out', 'com.example.app:/out'],
      refresh_lifetime_seconds: 604_800,
      refresh_rotating: false,
      refresh_leeway_seconds: 30,
      rate_per_second: 7,
      rate_burst: 8,
      api_rate_per_second: 9,
      api_rate_burst: 10,
      webhooks_per_person: 11,
      webhooks_per_application: 12,
      suspended_at: null,
    },
  )
})

test('answered once: of two that answer, or answer and withdraw, at the same moment, one counts', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { application, browser, ask, page, onlyRequest, written } = await startAsking(scene)
    await ask('first-party', { firstParty: 'on', reason: 'Because' })
    const { id } = await onlyRequest()
    const shown = await page()
    await Promise.all([
      answerRequest(scene.db, { id, verdict: 'approved', answer: null, by: 'Sam' }, STAFF),
      answerRequest(scene.db, { id, verdict: 'denied', answer: 'No', by: 'Kim' }, STAFF),
      submitTo(browser, shown, '/withdraw'),
    ])
    const { state } = await onlyRequest()
    const [row] = await scene.db<[{ first_party: boolean }]>`
      select first_party from applications where id = ${application}`
    assert.equal(row.first_party, state === 'approved')
    const entries = await written()
    assert.equal(entries.length, 2)
  }
})

test('who is no member any more, or only a reader, cannot ask by a page that is still open', async () => {
  const { ann, bob, team, application, ask, onlyRequest } = await startAsking(scene)
  await scene.db`update team_members set role = 'owner' where integrator_id = ${bob.id}`
  const request = { teamId: team, applicationId: application, setting: 'first-party', reason: 'x' } as const
  const doing: Doing = { actor: { kind: 'integrator', id: ann.id, name: ann.email }, requestId: null }
  await ask('password-grant', { passwordGrant: 'on', reason: 'x' })
  await scene.db`delete from team_members where integrator_id = ${ann.id}`
  const asked = await askSupport(scene.db, { ...request, askedBy: ann.id, wanted: { firstParty: true } }, doing)
  assert.equal(asked.outcome, 'not-allowed')
  const { id } = await onlyRequest()
  const outcome = await answerRequest(scene.db, { id, verdict: 'approved', answer: null, by: 'Sam' }, STAFF)
  assert.deepEqual(outcome.outcome === 'done' && outcome.asker, null, 'and no mail goes to who left')
})

test('a setting that support changes by itself: only its own fields move', async () => {
  const { application } = await startAsking(scene, { ratePerSecond: 5 })
  const applied = await scene.db.begin((tx) =>
    applySupportSetting(tx, application, 'api-rate', { apiRatePerSecond: 7, apiRateBurst: 9 }),
  )
  const label = 'Rate limit of the public API'
  assert.deepEqual(applied, {
    before: { [label]: '50 per second, 100 at once' },
    after: { [label]: '7 per second, 9 at once' },
  })
  const [row] = await scene.db<[{ rate_per_second: number; api_rate_per_second: number }]>`
    select rate_per_second, api_rate_per_second from applications where id = ${application}`
  assert.deepEqual({ ...row }, { rate_per_second: 5, api_rate_per_second: 7 })
  assert.equal(await scene.db.begin((tx) => applySupportSetting(tx, 'app_none', 'first-party', {})), null)
})

test('the mail about an answer has our own words and the link in it, and nothing that anybody typed', () => {
  const { text } = requestAnsweredMail('a@example.com', {
    setting: 'Client credentials',
    verdict: 'approved',
    link: 'https://id.example/portal',
  })
  assert.match(text, /Client credentials/)
  assert.match(text, /https:\/\/id\.example\/portal/)
})
