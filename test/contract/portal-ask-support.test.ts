import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Doing } from '../../src/domain/audit/audit.ts'
import { answerRequest } from '../../src/domain/support-requests/answer-store.ts'
import { openRequestsOf, requestQueue } from '../../src/domain/support-requests/request-list-store.ts'
import { askSupport } from '../../src/domain/support-requests/support-request-store.ts'
import { STAFF, startAsking } from '../harness/asking-support.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { formsOf } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

test('one open request for each setting, also when several ask at the same moment', async () => {
  const { ann, team, application, ask, page, written } = await startAsking(scene)
  const request = { teamId: team, applicationId: application, askedBy: ann.id, reason: 'Because' }
  const doing: Doing = { actor: { kind: 'integrator', id: ann.id, name: ann.email }, requestId: null }
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () =>
      askSupport(scene.db, { ...request, setting: 'first-party', wanted: { firstParty: true } }, doing),
    ),
  )
  assert.deepEqual(outcomes.map(({ outcome }) => outcome).toSorted(), [
    'asked',
    ...Array.from({ length: 4 }, () => 'open-already'),
  ])
  assert.equal((await written()).length, 1)
  const again = await ask('first-party', { firstParty: 'on', reason: 'Again' })
  assert.equal(again.status, 409)
  assert.match(again.text, /has a request about this already/)
  assert.ok((await page()).text.includes('>asked<'))
})

test('withdrawn by any member who may ask; then it can be asked for again, and cannot be answered', async () => {
  const { application, browser, ask, page, onlyRequest } = await startAsking(scene)
  await ask('first-party', { firstParty: 'on', reason: 'Because' })
  const { id } = await onlyRequest()
  const withdrawn = await submitTo(browser, await page(), '/withdraw')
  assert.equal(withdrawn.status, 303)
  assert.match((await page()).text, />withdrawn</)
  const late = await answerRequest(scene.db, { id, verdict: 'approved', answer: null, by: 'Sam' }, STAFF)
  assert.equal(late.outcome, 'not-open')
  const [row] = await scene.db<[{ first_party: boolean }]>`
    select first_party from applications where id = ${application}`
  assert.equal(row.first_party, false)
  assert.equal((await ask('first-party', { firstParty: 'on', reason: 'After all' })).status, 303)
})

test('400 at the field, and nothing that was typed is lost', async () => {
  const { ask } = await startAsking(scene)
  const reason = 'Because "of" <this>'
  const numbers = await ask('token-rate', { ratePerSecond: '0', rateBurst: 'many', reason })
  assert.equal(numbers.status, 400)
  assert.match(numbers.text, /href="#ratePerSecond"/)
  assert.match(numbers.text, /value="many"/)
  assert.match(numbers.text, /Because &quot;of&quot; &lt;this&gt;/)
  const silent = await ask('client-credentials', { clientCredentials: 'on', reason: '  ' })
  assert.equal(silent.status, 400)
  assert.match(silent.text, /Say why you need it/)
  const same = await ask('client-credentials', { clientCredentials: 'off', reason })
  assert.equal(same.status, 400)
  assert.match(same.text, /how it is at present/)
  const hidden = await ask('client-credentials', { clientCredentials: 'on', reason: 'a\u202eb' })
  assert.equal(hidden.status, 400)
})

test('nobody asks to be suspended, and a setting that we do not know is none', async () => {
  const { application, browser, page, ask } = await startAsking(scene)
  assert.doesNotMatch((await page('?setting=suspension')).text, /id="ask"/)
  const form = await page('?setting=client-credentials')
  const suspended = await submitTo(browser, form, '/support', {
    setting: 'suspension',
    suspended: 'suspended',
    reason: 'x',
  })
  assert.equal(suspended.status, 400)
  const unknown = await submitTo(browser, form, '/support', { setting: 'name', reason: 'x' })
  assert.equal(unknown.status, 303)
  assert.deepEqual(await openRequestsOf(scene.db, application), [])
  assert.equal((await ask('first-party', { firstParty: 'on', reason: 'x' })).status, 303)
})

test('a reader sees everything and no form; another team and a deleted application are 404', async () => {
  const { bob, application, at, ask, browser, onlyRequest } = await startAsking(scene)
  await ask('first-party', { firstParty: 'on', reason: 'Because' })
  const reader = await scene.signedIn(bob)
  const seen = await reader.open(`${at}?setting=client-credentials`)
  assert.equal(seen.status, 200)
  assert.match(seen.text, /waiting for support/)
  assert.deepEqual(
    formsOf(seen).filter(({ action }) => action.includes('/support')),
    [],
  )
  const other = await startAsking(scene)
  const elsewhere = other.at.replace(other.application, application)
  assert.equal((await other.browser.open(elsewhere)).status, 404)
  const form = await other.page('?setting=first-party')
  const csrf = formsOf(form)[0]?.fields['csrf'] ?? ''
  const { id } = await onlyRequest()
  const forced = await other.browser.post(
    `${other.at}/withdraw`,
    { csrf, request: id },
    { 'sec-fetch-site': 'same-origin' },
  )
  assert.equal(forced.status, 303)
  assert.equal((await onlyRequest()).state, 'open')
  await scene.db`update applications set deleted_at = now() where id = ${application}`
  assert.equal((await browser.open(at)).status, 404)
  const answered = await answerRequest(scene.db, { id, verdict: 'approved', answer: null, by: 'Sam' }, STAFF)
  assert.equal(answered.outcome, 'no-application')
  const { requests } = await requestQueue(scene.db, { state: 'open', after: null, limit: 100 })
  assert.ok(!requests.some((request) => request.id === id), 'it waits with its application')
})

test('429 after fifty requests a day for one application', async () => {
  const { ann, team, application, ask } = await startAsking(scene)
  await scene.db`
    insert into support_requests (id, application_id, team_id, asked_by, setting, wanted, reason, state, answered_at)
    select 'sup_' || lpad(to_hex(n), 32, '0'), ${application}, ${team}, ${ann.id}, 'first-party', '{"firstParty":true}',
           'x', 'withdrawn', now() from generate_series(1, 50) as n`
  assert.equal((await ask('first-party', { firstParty: 'on', reason: 'x' })).status, 429)
})

test('the list and the queue go on by cursor: newest first, what is open the longest waiting first', async () => {
  const { ann, team, application, page } = await startAsking(scene)
  const ids = Array.from({ length: 45 }, (_, n) => `sup_${String(n + 10).padStart(32, 'a')}`)
  await scene.db`
    insert into support_requests (id, application_id, team_id, asked_by, setting, wanted, reason, state, answered_at)
    select id, ${application}, ${team}, ${ann.id}, 'first-party', '{"firstParty":true}', id, 'withdrawn', now()
    from unnest(${ids}::text[]) as id`
  const seen: string[] = []
  for (let at: string | null = ''; at !== null; ) {
    const { text } = await page(at)
    seen.push(...[...text.matchAll(/<bdi>(sup_[^<]+)</g)].map(([, id = '']) => id))
    at = /href="[^"]*\/support(\?before=[^"]+)"/.exec(text)?.[1] ?? null
  }
  assert.deepEqual(seen, ids.toReversed())
  await scene.db`
    insert into support_requests (id, application_id, team_id, setting, wanted, reason)
    values ('sup_001', ${application}, ${team}, 'first-party', '{"firstParty":true}', 'x'),
           ('sup_002', ${application}, ${team}, 'password-grant', '{"passwordGrant":true}', 'x')`
  const first = await requestQueue(scene.db, { state: 'open', after: null, limit: 1 })
  assert.deepEqual([first.requests[0]?.id, first.next, first.requests[0]?.askedBy], ['sup_001', 'sup_001', null])
  const next = await requestQueue(scene.db, { state: 'open', after: 'sup_001', limit: 1 })
  assert.equal(next.requests[0]?.id, 'sup_002')
  const answered = await requestQueue(scene.db, { state: 'withdrawn', after: ids[44] ?? '', limit: 2 })
  assert.deepEqual(
    answered.requests.map(({ id }) => id),
    [ids[43], ids[42]],
  )
})

test('words with markup, quotes and code in them are inert', async () => {
  for (const words of ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)"]) {
    const { ask, page, onlyRequest } = await startAsking(scene, {
      name: words,
      postLogoutRedirectUris: [`https://a.example/${words}`],
    })
    const typed = await ask('post-logout-uris', { postLogoutRedirectUris: words, reason: words })
    assert.equal(typed.status, 400)
    await ask('first-party', { firstParty: 'on', reason: words })
    const { id } = await onlyRequest()
    await answerRequest(scene.db, { id, verdict: 'denied', answer: words, by: words }, STAFF)
    for (const { text } of [typed, await page(), await page(`?setting=${encodeURIComponent(words)}`)]) {
      assert.ok(!text.includes(words), text)
      assert.doesNotMatch(text, /<script(?! src="\/public\/site\.js")|<img/)
    }
  }
})
