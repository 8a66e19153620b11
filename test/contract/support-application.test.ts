import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { SUPPORT_SETTINGS } from '../../src/domain/support-requests/setting-definitions.ts'
import { submitTo } from '../harness/portal-scene.ts'
import { STAFF_PASSWORD, startSupportScene } from '../harness/support-scene.ts'

const scene = await startSupportScene()
after(scene.service.stop)
const { db, desk } = scene

const ann = await scene.colleague('Ann Lee')
const team = await scene.team('Rota Partners', [[ann, 'owner']])
const sam = await scene.agent()
const browser = await scene.atDesk(sam)

test('200 with team, members, every setting, secrets by name, and what was changed last; never a secret', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  await insertApplicationSecret(db, id, 'Blue server', 'a secret of their own')
  const { text } = await browser.open(desk(`/applications/${id}`))
  for (const fact of [id, 'Rota Partners', ann.email, 'Blue server', '100 per second'])
    assert.ok(text.includes(fact), fact)
  for (const setting of SUPPORT_SETTINGS.filter((each) => each !== 'suspension'))
    assert.ok(text.includes(`/settings/${setting}"`), setting)
  assert.ok(!text.includes('a secret of their own'))
})

for (const setting of SUPPORT_SETTINGS.filter((each) => each !== 'suspension')) {
  test(`200: the form of ${setting} shows how it is, and a reason is required`, async () => {
    const id = await scene.applicationCalled('Forms', team)
    const page = await browser.open(desk(`/applications/${id}/settings/${setting}`))
    assert.equal(page.status, 200)
    const answer = await submitTo(browser, page, '/preview')
    assert.equal(answer.status, 400)
    assert.match(answer.text, /Say why; the team reads it/)
  })
}

test('a setting is looked at as before → after and then changed, with its reason in the log', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  const page = await browser.open(desk(`/applications/${id}/settings/token-rate`))
  const typed = { ratePerSecond: '250', rateBurst: '500', reason: 'They grew.' }
  const preview = await submitTo(browser, page, '/preview', typed)
  assert.equal(preview.status, 200)
  assert.match(preview.text, /<del>100 per second[^<]*<\/del>/)
  assert.match(preview.text, /<strong>250 per second[^<]*<\/strong>/)
  const [untouched] = await db<[{ rate: number }]>`select rate_per_second as rate from applications where id = ${id}`
  assert.equal(untouched.rate, 100)
  const done = await submitTo(browser, preview, '/token-rate')
  assert.equal(done.location, desk(`/applications/${id}?done=set`))
  const [row] = await db<[{ rate: number }]>`select rate_per_second as rate from applications where id = ${id}`
  assert.equal(row.rate, 250)
  const [entry] = await db<Array<{ team_id: string; after: Record<string, string>; request_id: string | null }>>`
    select team_id, after, request_id from audit_log where application_id = ${id} and action = 'support.set'`
  assert.equal(entry?.team_id, team)
  assert.equal(entry?.after['reason'], 'They grew.')
  assert.ok(entry?.request_id)
})

test('400 for what cannot be, with everything as typed; and for what is so already', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  const page = await browser.open(desk(`/applications/${id}/settings/token-rate`))
  const wrong = await submitTo(browser, page, '/preview', { ratePerSecond: '-1', rateBurst: '7000000000', reason: 'x' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /value="-1"/)
  const same = await submitTo(browser, page, '/preview', { reason: 'Because.' })
  assert.equal(same.status, 400)
  assert.match(same.text, /It is so already/)
})

test('409 when somebody changed it since the preview: it is shown anew, and holds when confirmed', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  const page = await browser.open(desk(`/applications/${id}/settings/refresh-leeway`))
  const preview = await submitTo(browser, page, '/preview', { refreshLeewaySeconds: '30', reason: 'Slow network.' })
  await db`update applications set refresh_leeway_seconds = 10 where id = ${id}`
  const moved = await submitTo(browser, preview, '/refresh-leeway')
  assert.equal(moved.status, 409)
  assert.match(moved.text, /Somebody changed the setting since you looked at it/)
  assert.equal((await submitTo(browser, moved, '/refresh-leeway')).status, 303)
  const [row] = await db<
    [{ leeway: number }]
  >`select refresh_leeway_seconds as leeway from applications where id = ${id}`
  assert.equal(row.leeway, 30)
})

test('what is sensitive is confirmed by password and code after ten minutes, and what was typed goes on by itself', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  const kim = await scene.agent('Kim')
  const kims = await scene.atDesk(kim)
  const page = await kims.open(desk(`/applications/${id}`))
  await scene.age(kim, 11)
  const reason = 'Sends “spam”.\nSince <today>.'
  const asked = await submitTo(kims, page, '/suspend', { reason })
  assert.equal(asked.status, 200)
  assert.match(asked.text, /Confirm that it is you/)
  const wrong = await submitTo(kims, asked, '/suspend', { confirm_password: STAFF_PASSWORD, confirm_code: '000000' })
  assert.equal(wrong.status, 400)
  const proof = { confirm_password: STAFF_PASSWORD, confirm_code: kim.recoveryCodes.shift() ?? '' }
  const done = await submitTo(kims, wrong, '/suspend', proof)
  assert.equal(done.location, desk(`/applications/${id}?done=suspended`))
  const [entry] = await db<Array<{ after: Record<string, string> }>>`
    select after from audit_log where application_id = ${id} and action = 'application.suspended'`
  assert.equal(entry?.after['reason'], reason)
  assert.doesNotMatch(JSON.stringify(entry), new RegExp(STAFF_PASSWORD))

  const suspended = await kims.open(desk(`/applications/${id}`))
  assert.match(suspended.text, /<span class="tag bad">suspended<\/span>/)
  const lifted = await submitTo(kims, suspended, '/unsuspend', { reason: 'Mended.' })
  assert.equal(lifted.location, desk(`/applications/${id}?done=unsuspended`), 'confirmed a moment ago')
  const [row] = await db<[{ at: Date | null }]>`select suspended_at as at from applications where id = ${id}`
  assert.equal(row.at, null)
})

test('400 without a reason for suspending; suspending twice is written down once', async () => {
  const id = await scene.applicationCalled('Night rota', team)
  const page = await browser.open(desk(`/applications/${id}`))
  const missing = await submitTo(browser, page, '/suspend')
  assert.equal(missing.status, 400)
  assert.match(missing.text, /Say why; the team reads it/)
  await submitTo(browser, page, '/suspend', { reason: 'One.' })
  await submitTo(browser, page, '/suspend', { reason: 'Two.' })
  const rows = await db`select 1 from audit_log where application_id = ${id} and action = 'application.suspended'`
  assert.equal(rows.length, 1)
})

test('404 for applications that are not there, deleted ones, and settings that are none', async () => {
  const id = await scene.applicationCalled('Gone', team)
  await db`update applications set deleted_at = now() where id = ${id}`
  for (const path of [
    `/applications/${id}`,
    '/applications/app_1',
    '/applications/%00',
    '/teams/a%00',
    `/applications/${id}/settings/first-party`,
  ])
    assert.equal((await browser.get(desk(path))).status, 404)
  const live = await scene.applicationCalled('Live', team)
  for (const setting of ['suspension', 'name', '__proto__', 'constructor'])
    assert.equal((await browser.get(desk(`/applications/${live}/settings/${setting}`))).status, 404, setting)
})

test('200: a team with its applications, page by page, and its members', async () => {
  const full = await scene.team('Many things', [[ann, 'owner']])
  for (let number = 0; number < 52; number += 1) await scene.applicationCalled(`Thing ${number}.`, full)
  const page = await browser.open(desk(`/teams/${full}`))
  assert.match(page.text, /Thing 51\./)
  assert.doesNotMatch(page.text, /Thing 0\./)
  const older = /href="([^"]+\?before=app_[0-9a-f]{32})"/.exec(page.text)?.[1] ?? ''
  assert.match((await browser.open(`${scene.url}${older}`)).text, /Thing 0\./)
  assert.equal((await browser.get(desk('/teams/tem_1'))).status, 404)
})
