import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, postForm } from '../harness/answer.ts'
import { auditOf, shownBeside } from '../harness/portal-application.ts'
import { startPortalScene, submitTo } from '../harness/portal-scene.ts'
import { PATIENCE_MS, soon } from '../harness/soon.ts'
import { formsOf, type WebAnswer } from '../harness/web-client.ts'

const scene = await startPortalScene()
after(scene.service.stop)
const { db, at } = scene

const ann = await scene.colleague()
const browser = await scene.signedIn(ann)

type Place = {
  team: string
  application: string
  secret: string
  clientSecret: string
  path: string
  page: () => Promise<WebAnswer>
}

async function place(settings: Parameters<typeof scene.application>[1] = {}): Promise<Place> {
  const team = await scene.team('Rota', [[ann, 'owner']])
  const made = await scene.application(team, { type: 'machine', clientCredentials: true, ...settings })
  const path = `/teams/${team}/applications/${made.application}/secrets`
  return { team, ...made, path, page: () => browser.open(at(path)) }
}

const tokenWith = (application: string, secret: string): Promise<Answer> =>
  postForm(`${scene.url}/oidc/oauth/token`, {
    grant_type: 'client_credentials',
    client_id: application,
    client_secret: secret,
    audience: 'urn:handover:api:sandbox',
  })

const live = async (application: string) =>
  (await db`select 1 from application_secrets where application_id = ${application} and revoked_at is null`).length

async function revoke({ path }: Place, secret: string, fields = {}): Promise<WebAnswer> {
  return submitTo(browser, await browser.open(at(`${path}/${secret}/revoke`)), '/revoke', fields)
}

test('a secret is replaced without one failed request: both work, then the old one is revoked', async () => {
  const own = await place()
  const { application, clientSecret: old } = own
  let inUse = old
  const stopped = new AbortController()
  const statuses: number[] = []
  const client = (async () => {
    while (!stopped.signal.aborted) {
      statuses.push((await tokenWith(application, inUse)).status)
      await sleep(5)
    }
  })()
  const made = await submitTo(browser, await own.page(), '/secrets', { name: 'July' })
  assert.equal(made.status, 200, made.text)
  const fresh = shownBeside(made, 'Client secret')
  assert.ok(await soon(async () => (await tokenWith(application, fresh)).status === 200, PATIENCE_MS))
  assert.equal((await tokenWith(application, old)).status, 200, 'both work')
  inUse = fresh
  // What was asked for with the old one is answered before that is revoked.
  const before = statuses.length
  assert.ok(await soon(async () => statuses.length > before, PATIENCE_MS))
  const revoked = await revoke(own, own.secret)
  assert.equal(revoked.location, at(`${own.path}?done=secret-revoked`))
  assert.ok(await soon(async () => (await tokenWith(application, old)).status === 401))
  stopped.abort()
  await client
  assert.ok(statuses.length > 3)
  assert.deepEqual(
    statuses.filter((status) => status !== 200),
    [],
  )
})

test('shown once: a reload makes no second one, and it stands nowhere afterwards', async () => {
  const own = await place()
  const page = await own.page()
  const made = await submitTo(browser, page, '/secrets', { name: 'July' })
  const secret = shownBeside(made, 'Client secret')
  const again = await submitTo(browser, page, '/secrets', { name: 'July' })
  assert.equal(again.location, at(`${own.path}?done=secret-made-already`))
  assert.equal(await live(own.application), 2)
  const later = await browser.follow(again)
  assert.match(later.text, /shown then/)
  for (const text of [later.text, (await browser.open(at(`/teams/${own.team}/audit`))).text])
    assert.ok(!text.includes(secret))
  const rows = await db`select application_secrets::text as row from application_secrets`
  assert.ok(rows.every(({ row }) => !String(row).includes(secret)))
  assert.ok(scene.service.logged.every((line) => !line.includes(secret)))
})

test('two at most: three forms sent at the same moment make one', async () => {
  const own = await place()
  const pages = await Promise.all([own.page(), own.page(), own.page()])
  const answers = await Promise.all(
    pages.map((page, n) => submitTo(browser, page, '/secrets', { name: `Secret ${n}` })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409, 409],
  )
  assert.match(answers.find(({ status }) => status === 409)?.text ?? '', /Two secrets work already/)
  assert.equal(await live(own.application), 2)
  assert.equal(formsOf(await own.page()).filter(({ action }) => action.endsWith('/secrets')).length, 0)
})

test('400 at the field without a name, and for one that cannot be shown', async () => {
  const own = await place()
  for (const [name, words] of [
    ['', /Give the secret a name/],
    ['x'.repeat(61), /at most 60/],
    ['a\u202eb', /cannot be shown/],
  ] as const) {
    const answer = await submitTo(browser, await own.page(), '/secrets', { name })
    assert.equal(answer.status, 400)
    assert.match(answer.text, words)
  }
  const forged = await submitTo(browser, await own.page(), '/secrets', { name: 'July', made: 'sec_chosen' })
  assert.equal(forged.status, 400)
  assert.equal(await live(own.application), 1)
})

test('the last one is revoked only by who says that they know it', async () => {
  const own = await place()
  const page = await browser.open(at(`${own.path}/${own.secret}/revoke`))
  assert.match(page.text, /It is the only secret that works/)
  const refused = await submitTo(browser, page, '/revoke')
  assert.equal(refused.status, 409)
  assert.match(refused.text, /id="understood-error"/)
  assert.equal((await tokenWith(own.application, own.clientSecret)).status, 200)
  assert.equal((await submitTo(browser, refused, '/revoke', { understood: 'on' })).status, 303)
  assert.ok(await soon(async () => (await tokenWith(own.application, own.clientSecret)).status === 401))
  assert.match((await own.page()).text, /There is none/)
  assert.equal((await submitTo(browser, page, '/revoke', { understood: 'on' })).status, 404, 'a second time')
})

test('two who revoke one each at the same moment: the second is warned that it is the last', async () => {
  const own = await place()
  await submitTo(browser, await own.page(), '/secrets', { name: 'July' })
  const ids = (
    await db<Array<{ id: string }>>`
    select id from application_secrets where application_id = ${own.application}`
  ).map(({ id }) => id)
  const pages = await Promise.all(ids.map((id) => browser.open(at(`${own.path}/${id}/revoke`))))
  const answers = await Promise.all(pages.map((page) => submitTo(browser, page, '/revoke')))
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [303, 409],
  )
  assert.equal(await live(own.application), 1)
})

test('unused for 24 h is said when another one is in use, and when each was last used', async () => {
  const own = await place()
  await submitTo(browser, await own.page(), '/secrets', { name: 'July' })
  assert.doesNotMatch((await own.page()).text, /safe to revoke/)
  await db`
    update application_secrets set created_at = now() - interval '9 days', last_used_at = now() - interval '25 hours'
    where id = ${own.secret}`
  assert.doesNotMatch((await own.page()).text, /safe to revoke/, 'the other was not used either')
  await db`
    update application_secrets set last_used_at = now() where application_id = ${own.application} and id <> ${own.secret}`
  const { text } = await own.page()
  assert.equal(text.match(/unused for 24 h: safe to revoke/g)?.length, 1)
  assert.match(text, /<strong>first<\/strong><br><span class="tag">unused/)
})

test('an application on people’s devices keeps none: the page says why, and no form makes one', async () => {
  const own = await place({ type: 'spa', tokenEndpointAuthentication: 'either' })
  const page = await own.page()
  await db`update applications set token_endpoint_authentication = 'none' where id = ${own.application}`
  const refused = await submitTo(browser, page, '/secrets', { name: 'July' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /This application keeps no secret/)
  assert.equal(await live(own.application), 1)
  assert.match(refused.text, /\/revoke"/, 'what it had can be revoked')
})

test('what happens is written down, and never the secret', async () => {
  const own = await place()
  await submitTo(browser, await own.page(), '/secrets', { name: 'July' })
  await revoke(own, own.secret)
  const whose = { application_id: own.application }
  const named = { application: 'Shift planner' }
  assert.deepEqual(await auditOf(scene, own.team), [
    { action: 'secret.created', ...whose, before: null, after: { ...named, secret: 'July' } },
    { action: 'secret.revoked', ...whose, before: { ...named, secret: 'first' }, after: named },
  ])
})
