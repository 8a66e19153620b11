import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { KeptRequest } from '../../src/domain/requests/logged-request.ts'
import { writeRequests } from '../../src/domain/requests/request-log-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { postForm } from '../harness/answer.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { keptRequest, loggedRequest } from '../harness/request-rows.ts'
import { WebClient } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)

const [ann, stranger] = [await scene.colleague('Ann'), await scene.colleague('Stranger')]
const team = await scene.team('Rota', [[ann, 'owner']])
const elsewhere = await scene.team('Elsewhere', [[stranger, 'owner']])
const { application } = await scene.application(team, {
  name: 'Planner',
  redirectUris: ['https://rota.example/callback'],
})
const { application: theirs } = await scene.application(elsewhere, { name: 'Theirs' })
const browser = await scene.signedIn(ann)
const strangers = await scene.signedIn(stranger)

const page = (query = '', who = browser, whose = team) => who.get(scene.at(`/teams/${whose}/requests${query}`))
const authorize = (id: string, redirectUri: string) =>
  new WebClient().get(
    `${scene.url}/oidc/authorize?${new URLSearchParams({ client_id: id, redirect_uri: redirectUri }).toString()}`,
  )

const kept = (more: Partial<KeptRequest> = {}) => keptRequest({ applicationId: application, ...more })

test('an empty log teaches the next step', async () => {
  const { text } = await page('', strangers, elsewhere)
  assert.match(text, /Nothing has been asked yet/)
  assert.match(text, new RegExp(`href="/portal/teams/${elsewhere}/applications/${theirs}/quick-start"`))
  const bare = await scene.team('Bare', [[stranger, 'owner']])
  assert.match((await page('', strangers, bare)).text, new RegExp(`href="/portal/teams/${bare}/applications/new"`))
})

test('a refused redirect_uri: the error page says a code and an id; the team sees why, and what differs', async () => {
  const answer = await authorize(application, 'https://rota.example/callback/')
  await loggedRequest(scene.db, answer)
  const requestId = answer.headers.get('x-request-id') ?? ''
  assert.ok(answer.text.includes(requestId))
  assert.doesNotMatch(answer.text, /not registered|rota\.example/)
  const { text } = await page()
  assert.ok(text.includes(requestId))
  assert.match(text, /<strong>1 ×<\/strong> redirect_uri is not registered\./)
  assert.match(text, /<code>https:\/\/rota\.example\/callback<mark>\/<\/mark><\/code>/)
  assert.match(text, /What differs: a slash too many at the end\./)
  assert.ok(text.includes(`href="/portal/teams/${team}/applications/${application}/settings"`))
  const found = await page(`?request=${requestId}`)
  assert.ok(found.text.includes(requestId))

  await scene.db`update applications set redirect_uris = array_append(redirect_uris, 'https://rota.example/callback/') where id = ${application}`
  assert.match((await page()).text, /It is registered now/)
})

test('one team never sees another’s requests, by whatever filter or id', async () => {
  const answer = await authorize(theirs, 'https://nowhere.example/theirs')
  await loggedRequest(scene.db, answer)
  const requestId = answer.headers.get('x-request-id') ?? ''
  assert.ok((await page('', strangers, elsewhere)).text.includes(requestId))
  const [row] = await scene.db<Array<{ cause: string }>>`select cause from request_log where request_id = ${requestId}`
  const tries = ['', '?show=refused', `?application=${theirs}`, `?cause=${row?.cause}`, `?request=${requestId}`]
  for (const query of tries) {
    const { status, text } = await page(query)
    assert.equal(status, 200)
    assert.ok(!text.includes('nowhere.example') && !text.includes(theirs) && !text.includes('Theirs'), query)
    if (!query.startsWith('?request')) assert.ok(!text.includes(requestId), query)
  }
  assert.equal((await page('', browser, elsewhere)).status, 404)
})

test('newest first, fifty at a time, older by cursor; filtered by application, environment, outcome and cause', async () => {
  const busy = await scene.team('Busy', [[ann, 'owner']])
  const { application: one } = await scene.application(busy, { name: 'One' })
  const { application: two } = await scene.application(busy, { name: 'Two' })
  const refusal = { error: 'invalid_grant', reason: 'The code was used before.', facts: {} }
  const rows = Array.from({ length: 120 }, (_, n) =>
    kept({
      id: `rql_${(n + 1).toString(16).padStart(32, '0')}`,
      requestId: `n${n + 1}`,
      applicationId: n % 2 === 0 ? one : two,
      environment: n % 3 === 0 ? 'production' : 'sandbox',
      refusal: n % 4 === 0 ? refusal : null,
    }),
  )
  await writeRequests(scene.db, rows)
  const everything = await walk(`/teams/${busy}/requests`)
  assert.equal(everything.pages, 3)
  assert.deepEqual(everything.ids, rows.map(({ requestId }) => requestId).toReversed())
  const wanted = rows.filter(
    (row) => row.applicationId === one && row.environment === 'sandbox' && row.refusal !== null,
  )
  const filtered = await walk(`/teams/${busy}/requests?application=${one}&environment=sandbox&show=refused`)
  assert.deepEqual(filtered.ids, wanted.map(({ requestId }) => requestId).toReversed())
  const odd = `?application=${theirs}&environment=moon&show=x&cause=zz&before=${encodeURIComponent("' or 1")}&request=%00`
  assert.equal((await page(odd, browser, busy)).status, 200, 'a filter that we did not write counts as none')
})

test('refusals of the last day are grouped by cause; each group leads to its requests; what was not kept is counted', async () => {
  const grouped = await scene.team('Grouped', [[ann, 'owner']])
  const { application: id } = await scene.application(grouped)
  const refused = (reason: string, more: Partial<KeptRequest> = {}) =>
    kept({ applicationId: id, refusal: { error: 'invalid_grant', reason, facts: {} }, ...more })
  const longAgo = newId('rql').replace(/^rql_.{12}/, 'rql_010000000000')
  await writeRequests(scene.db, [
    ...Array.from({ length: 12 }, () => refused('used before', { leftOut: 100 })),
    ...Array.from({ length: 3 }, () => refused('too old')),
    refused('long ago', { id: longAgo }),
  ])
  const { text } = await page('', browser, grouped)
  const counts = [...text.matchAll(/<strong>([\d,]+) ×<\/strong> ([a-z ]+)/g)].map(([, times, reason = '']) => [
    times,
    reason.trim(),
  ])
  assert.deepEqual(counts, [
    ['12', 'used before'],
    ['3', 'too old'],
  ])
  assert.match(text, /1,200 more were refused and not kept, because/)
  const cause = [...text.matchAll(/cause=([0-9a-f]{16})/g)][1]?.[1] ?? ''
  const group = await page(`?cause=${cause}`, browser, grouped)
  assert.equal(group.text.match(/class="request-head"/g)?.length, 3)
})

test('names, reasons and addresses with markup, quotes and direction characters are inert', async () => {
  const hostile = await scene.team('Hostile', [[ann, 'owner']])
  const { application: id } = await scene.application(hostile, { name: '"><script>alert(1)</script>' })
  const answer = await authorize(id, 'https://x.example/"><script>alert(2)</script>\u202e')
  await loggedRequest(scene.db, answer)
  await writeRequests(scene.db, [
    kept({ applicationId: id, requestId: '<img src=x>', refusal: { error: '<b>', reason: '<i>"\'', facts: {} } }),
  ])
  const { text } = await page('?request=%22%3E%3Cscript%3E', browser, hostile)
  assert.doesNotMatch(text, /"><script|<script>/)
  const all = (await page('', browser, hostile)).text
  assert.doesNotMatch(all, /<script>alert|<img|<b>|<i>|\u202e/)
  assert.match(all, /&lt;script&gt;alert\(2\)/)
})

test('a deleted application’s requests stay readable, with nowhere to go', async () => {
  const { application: gone } = await scene.application(team, { name: 'Gone' })
  const answer = await postForm(`${scene.url}/oidc/oauth/token`, {
    client_id: gone,
    client_secret: 'x',
    grant_type: 'password',
  })
  await loggedRequest(scene.db, answer)
  await scene.db`update applications set deleted_at = now() where id = ${gone}`
  const { text } = await page(`?application=${gone}`)
  assert.match(text, /Gone \(deleted\)/)
  assert.match(text, /none of the application’s live ones/)
  assert.ok(!text.includes(`applications/${gone}/`))
})

async function walk(path: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let pages = 0
  for (let url: string | null = scene.at(path); url !== null; pages += 1) {
    const { status, text } = await browser.get(url)
    assert.equal(status, 200)
    ids.push(...[...text.matchAll(/<li><code>(n\d+)</g)].map(([, id = '']) => id))
    const older: string | undefined = /href="([^"]*before=[^"]+)"/.exec(text)?.[1]
    url = older === undefined ? null : scene.url + older.replaceAll('&amp;', '&')
  }
  return { ids, pages }
}
