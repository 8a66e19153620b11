import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { submitTo } from '../harness/portal-scene.ts'
import type { FormFields, WebAnswer } from '../harness/web-client.ts'
import { startWebhookScene } from '../harness/webhook-scene.ts'

const scene = await startWebhookScene()
after(scene.stop)
const { browser, facilities } = scene
const URL_GIVEN = 'https://partner.example/hooks'

async function create(fields: FormFields, environment: 'sandbox' | 'production' = 'sandbox'): Promise<WebAnswer> {
  const page = await browser.open(scene.page('/new', environment))
  return submitTo(browser, page, '/webhooks/new', { url: URL_GIVEN, ...fields })
}

function idIn({ location }: WebAnswer): string {
  return /whk_[0-9a-f]{32}/.exec(location ?? '')?.[0] ?? ''
}

test('200: without a webhook the page says what one is, in either environment', async () => {
  for (const environment of ['sandbox', 'production'] as const) {
    const page = await browser.get(scene.page('', environment))
    assert.equal(page.status, 200)
    assert.match(page.text, new RegExp(`No webhooks in ${environment} yet`))
    assert.match(page.text, /webhooks\/new/)
  }
})

test('303: a webhook is the application’s own, with a secret of ours, for what was ticked, and written down', async () => {
  const answer = await create({
    'events.all': null,
    'events.shift.created': 'on',
    'events.shift.cancelled': 'on',
    [`facilities.${facilities[1]}`]: null,
  })
  assert.equal(answer.status, 303)
  const webhook = await scene.stored(idIn(answer))
  assert.ok(webhook)
  assert.deepEqual(
    [webhook.kind, webhook.userId, webhook.url, webhook.events, webhook.facilities],
    ['facility', null, URL_GIVEN, ['shift.created', 'shift.cancelled'], [facilities[0]]],
  )
  assert.equal(webhook.secrets.length, 1)
  const entry = (await scene.logged()).at(-1)
  assert.deepEqual(entry, {
    action: 'webhook.created',
    before: null,
    after: {
      webhook: webhook.id,
      environment: 'sandbox',
      url: URL_GIVEN,
      events: 'shift.created, shift.cancelled',
      facilities: '1',
    },
  })
  const page = await browser.follow(answer)
  assert.match(page.text, /The webhook is made/)
  assert.ok(!page.text.includes(webhook.secrets[0] ?? ''), 'a secret is shown to who asks')
})

const REFUSED: Array<[what: string, fields: FormFields, fault: RegExp]> = [
  ['no URL', { url: '' }, /Enter the URL/],
  ['http', { url: 'http://partner.example/' }, /must begin with https/],
  ['a private address', { url: 'https://10.0.0.1/x' }, /10\.0\.0\.1/],
  ['no event', { 'events.all': null, 'events.shift.created': null }, /Choose at least one/],
  [
    'no facility',
    { [`facilities.${facilities[0]}`]: null, [`facilities.${facilities[1]}`]: null },
    /Choose at least one/,
  ],
  ['a facility of nobody', { 'facilities.fac_elsewhere': 'on' }, /Not a facility that this webhook may be for/],
]

for (const [what, fields, fault] of REFUSED) {
  test(`400 at the field, and what was typed stays: ${what}`, async () => {
    const answer = await create({ url: 'https://typed.example/kept', 'events.shift.created': 'on', ...fields })
    assert.equal(answer.status, 400)
    assert.match(answer.text, fault)
    assert.match(answer.text, /Please look again at/)
    const kept = /name="events.shift.created" value="on" checked/.test(answer.text)
    assert.equal(kept, fields['events.shift.created'] === undefined)
    if (fields['url'] === undefined) assert.match(answer.text, /value="https:\/\/typed\.example\/kept"/)
  })
}

test('400 where no facility is connected, with the way out', async () => {
  const answer = await create({}, 'production')
  assert.equal(answer.status, 400)
  assert.match(answer.text, /No facility is connected to this application in production/)
})

test('409 beyond the limit of the application', async () => {
  const { application } = await scene.application(scene.teamId, { webhooksPerApplication: 0 })
  await scene.facility('Elsewhere', 'sandbox', application)
  const at = scene.at(`/teams/${scene.teamId}/applications/${application}/sandbox/webhooks/new`)
  const answer = await submitTo(browser, await browser.open(at), '/webhooks/new', { url: URL_GIVEN })
  assert.equal(answer.status, 409)
  assert.match(answer.text, /as many as allowed/)
})

test('303: the form sends everything, and only what differs is written and written down', async () => {
  const id = await scene.webhook({ events: ['shift.created'] })
  const before = await scene.stored(id)
  const edit = () => browser.open(scene.page(`/${id}/edit`))
  const entries = async () => (await scene.logged()).length
  const known = await entries()

  const same = await submitTo(browser, await edit(), '/edit')
  assert.match(same.location ?? '', /done=webhook-same/)
  assert.deepEqual([await entries(), (await scene.stored(id))?.version], [known, before?.version])

  const changed = await submitTo(browser, await edit(), '/edit', { 'events.shift.cancelled': 'on' })
  assert.match(changed.location ?? '', /done=webhook-saved/)
  const now = await scene.stored(id)
  assert.deepEqual(
    { ...now, version: 0, updatedAt: null },
    { ...before, events: ['shift.created', 'shift.cancelled'], version: 0, updatedAt: null },
  )
  assert.deepEqual((await scene.logged()).at(-1), {
    action: 'webhook.changed',
    before: { webhook: id, environment: 'sandbox', events: 'shift.created' },
    after: { webhook: id, environment: 'sandbox', events: 'shift.created, shift.cancelled' },
  })
})

test('303: facilities that come and go are named in the log', async () => {
  const id = await scene.webhook({ facilities: [facilities[0]] })
  const page = await browser.open(scene.page(`/${id}/edit`))
  await submitTo(browser, page, '/edit', {
    [`facilities.${facilities[0]}`]: null,
    [`facilities.${facilities[1]}`]: 'on',
  })
  assert.deepEqual((await scene.stored(id))?.facilities, [facilities[1]])
  assert.deepEqual((await scene.logged()).at(-1)?.after, {
    webhook: id,
    environment: 'sandbox',
    facilities: '1',
    'facilities added': facilities[1],
    'facilities removed': facilities[0],
  })
})

test('303: a facility that the application has lost stays, unless it is taken out', async () => {
  const lost = await scene.facility('Lost Clinic')
  const id = await scene.webhook({ facilities: [lost, facilities[0]] })
  await scene.db`delete from facility_connections where facility_id = ${lost}`
  const page = await browser.open(scene.page(`/${id}/edit`))
  assert.match(page.text, /Lost Clinic/)
  assert.equal((await submitTo(browser, page, '/edit', { url: 'https://other.example/x' })).status, 303)
  const again = await browser.open(scene.page(`/${id}/edit`))
  const added = await submitTo(browser, again, '/edit', { [`facilities.${facilities[1]}`]: 'on' })
  assert.equal(added.status, 400, 'a new list is checked as a whole')
  assert.equal((await submitTo(browser, again, '/edit', { [`facilities.${lost}`]: null })).status, 303)
  assert.deepEqual((await scene.stored(id))?.facilities, [facilities[0]])
})

test('409: what somebody else changed meanwhile is told, what was typed stays, and saving again counts', async () => {
  const id = await scene.webhook()
  const [mine, theirs] = [await browser.open(scene.page(`/${id}/edit`)), await browser.open(scene.page(`/${id}/edit`))]
  await submitTo(browser, theirs, '/edit', { url: 'https://theirs.example/x' })
  const answer = await submitTo(browser, mine, '/edit', { url: 'https://mine.example/x' })
  assert.equal(answer.status, 409)
  assert.match(answer.text, /Somebody has changed this webhook/)
  assert.match(answer.text, /https:\/\/theirs\.example\/x/)
  assert.match(answer.text, /value="https:\/\/mine\.example\/x"/)
  assert.equal((await scene.stored(id))?.url, 'https://theirs.example/x')
  assert.equal((await submitTo(browser, answer, '/edit')).status, 303)
  assert.equal((await scene.stored(id))?.url, 'https://mine.example/x')
})

test('a query in a URL is not in the log, which is kept for longer', async () => {
  const answer = await create({ url: 'https://partner.example/hooks?token=tell-nobody' })
  assert.equal((await scene.stored(idIn(answer)))?.url, 'https://partner.example/hooks?token=tell-nobody')
  assert.ok(!JSON.stringify(await scene.logged()).includes('tell-nobody'))
  assert.ok(!scene.service.logged.join('').includes('tell-nobody'))
})

test('with many facilities their ids are typed, or all are taken, or they stay as they are', async () => {
  const { application } = await scene.application(scene.teamId)
  await scene.db`
    insert into facilities (environment, id, name) select 'sandbox', 'fac_many_' || n, 'Many ' || n from generate_series(1, 70) as n`
  await scene.db`
    insert into facility_connections (environment, facility_id, application_id)
    select 'sandbox', 'fac_many_' || n, ${application} from generate_series(1, 70) as n`
  const at = (path: string) => scene.at(`/teams/${scene.teamId}/applications/${application}/sandbox/webhooks${path}`)
  const stored = async (id: string) => {
    const rows = await scene.db`select 1 from webhook_facilities where webhook_id = ${id}`
    return rows.length
  }
  const answer = await submitTo(browser, await browser.open(at('/new')), '/new', { url: URL_GIVEN })
  const id = idIn(answer)
  assert.equal(await stored(id), 70)
  const edit = () => browser.open(at(`/${id}/edit`))
  assert.match((await submitTo(browser, await edit(), '/edit')).location ?? '', /webhook-same/)
  await submitTo(browser, await edit(), '/edit', {
    scope: 'these',
    facility_ids: 'fac_many_3\r\nfac_many_4, fac_many_3 ',
  })
  assert.equal(await stored(id), 2)
  const wrong = await submitTo(browser, await edit(), '/edit', { scope: 'these', facility_ids: 'fac_none' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /fac_none/)
  await submitTo(browser, await edit(), '/edit', { scope: 'all' })
  assert.equal(await stored(id), 70)
})

test('303: disabled, enabled with what was held, and deleted, each once in the log', async () => {
  const id = await scene.webhook()
  const actions = async () => (await scene.logged()).map(({ action }) => action).slice(known)
  const known = (await scene.logged()).length
  const open = (path = '') => browser.open(scene.page(`/${id}${path}`))
  const shown = await open()
  assert.equal((await submitTo(browser, shown, '/disable')).status, 303)
  assert.equal((await submitTo(browser, shown, '/disable')).status, 303, 'twice is the same as once')
  assert.equal((await scene.stored(id))?.disabledBecause, 'by_request')
  assert.match((await open()).text, /disabled by request/)
  const enable = await open('/enable')
  assert.equal((await submitTo(browser, enable, '/enable', { held: 'burn' })).status, 400)
  assert.equal((await submitTo(browser, enable, '/enable', { held: 'keep' })).status, 303)
  assert.equal((await scene.stored(id))?.disabledBecause, null)
  const gone = await submitTo(browser, await open('/delete'), '/delete')
  assert.match(gone.location ?? '', /webhooks\?done=webhook-deleted$/)
  assert.equal((await browser.get(scene.page(`/${id}`))).status, 404)
  assert.deepEqual(await actions(), ['webhook.disabled', 'webhook.enabled', 'webhook.deleted'])
})

test('200: both kinds and a person’s own in one list, newest first, by cursor', async () => {
  const { application } = await scene.application(scene.teamId)
  const userId = await scene.person()
  const made: string[] = []
  for (let n = 0; n < 60; n += 1) {
    const kind = n % 3 === 0 ? ('user' as const) : ('facility' as const)
    const whose = n % 5 === 0 ? { userId } : {}
    made.push(
      await scene.webhook({
        applicationId: application,
        kind,
        facilities: [],
        url: `https://n${n}.example/`,
        ...whose,
      }),
    )
  }
  const seen: string[] = []
  let url: string | undefined = scene.at(`/teams/${scene.teamId}/applications/${application}/sandbox/webhooks`)
  for (let pages = 0; url !== undefined && pages < 10; pages += 1) {
    const page: WebAnswer = await browser.get(url)
    assert.equal(page.status, 200)
    seen.push(...[...page.text.matchAll(/webhooks\/(whk_[0-9a-f]{32})"/g)].map(([, id = '']) => id))
    if (pages === 0) assert.match(page.text, /a person’s/)
    const older: string | undefined = /href="([^"]*before=[^"]+)"/.exec(page.text)?.[1]
    url = older === undefined ? undefined : scene.url + older
  }
  assert.deepEqual(seen, made.toSorted().toReversed())
  const odd = await browser.get(`${scene.page()}?before=${encodeURIComponent("' or 1")}`)
  assert.equal(odd.status, 200, 'a cursor that we did not write counts as none')
})
