import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { announce } from '../../src/platform/announcements.ts'
import { arrivalOf, assertErrorPage, FACILITY, NURSE, pathOf, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { soonHeard } from '../harness/soon.ts'
import { type FormFields, onlyForm, type WebAnswer, WebClient } from '../harness/web-client.ts'

const scene = await startAuthorizeScene()
after(scene.service.stop)

const thirdParty = await scene.client()
const firstParty = await scene.client({ firstParty: true, implicit: true })
const PAGES = ['/oidc/login', '/oidc/consent', '/oidc/select-account', '/oidc/continue']

test('another browser, signed in or not, cannot open or continue what mine began', async () => {
  const mine = await scene.signedIn()
  const page = await scene.visit(mine, thirdParty)
  for (const other of [new WebClient(), await scene.signedIn(), await scene.signedIn(FACILITY)]) {
    for (const path of PAGES) assertGone(await other.open(at(path, interactionOf(page))))
    const own = onlyForm(await scene.visit(other, thirdParty, { prompt: 'login' })).fields
    for (const path of ['/oidc/login', '/oidc/consent', '/oidc/select-account']) {
      const sent = {
        ...own,
        interaction: interactionOf(page),
        username: NURSE,
        password: scene.password,
        decision: 'allow',
      }
      assertGone(await other.post(scene.url + path, sent))
    }
  }
  assert.ok((await allow(mine, page)).fields['code'], 'mine goes on')
})

test('an interaction that never was, or none at all, is gone', async () => {
  const browser = await scene.signedIn()
  for (const path of PAGES) {
    assertGone(await browser.open(scene.url + path))
    assertGone(await browser.open(at(path, 'x'.repeat(43))))
    assertGone(await browser.open(at(path, '')))
  }
})

test('prompt=login cannot be skipped by opening the continue address or another page', async () => {
  const browser = await scene.signedIn()
  await scene.arrive(browser, thirdParty)
  const page = await scene.visit(browser, thirdParty, { prompt: 'login' })
  for (let times = 0; times < 3; times += 1) {
    assert.equal(pathOf(await browser.open(at('/oidc/continue', interactionOf(page)))), '/oidc/login')
  }
  for (const [path, fields] of [
    ['/oidc/consent', { decision: 'allow' }],
    ['/oidc/select-account', {}],
  ] as const) {
    const asked = await browser.open(at(path, interactionOf(page)))
    assert.equal(pathOf(await browser.send(asked, fields)), '/oidc/login')
  }
  const wrong = await scene.signIn(browser, page, NURSE, 'wrong')
  assert.equal(wrong.status, 400)
  assert.equal(pathOf(await browser.open(at('/oidc/continue', interactionOf(page)))), '/oidc/login')
})

test('max_age cannot be skipped either', async () => {
  const browser = await scene.signedIn()
  await scene.arrive(browser, thirdParty)
  await scene.db`update sessions set auth_time = now() - interval '100 seconds' where ended_at is null`
  assert.ok(arrivalOf(await scene.visit(browser, thirdParty, { max_age: '200' })).fields['code'])
  const page = await scene.visit(browser, thirdParty, { max_age: '50' })
  assert.equal(pathOf(page), '/oidc/login')
  assert.equal(pathOf(await browser.open(at('/oidc/continue', interactionOf(page)))), '/oidc/login')
  assert.ok(arrivalOf(await scene.signIn(browser, page)).fields['code'])
})

test('consent and the choice of an account cannot be skipped', async () => {
  const browser = await scene.signedIn()
  const asked = await scene.visit(browser, await scene.client())
  assert.equal(pathOf(await browser.open(at('/oidc/continue', interactionOf(asked)))), '/oidc/consent')
  const choice = await scene.visit(browser, firstParty, { prompt: 'select_account' })
  assert.equal(pathOf(choice), '/oidc/select-account')
  assert.equal(pathOf(await browser.open(at('/oidc/continue', interactionOf(choice)))), '/oidc/select-account')
})

test('what one person allowed is not allowed by who signs in next in the same interaction', async () => {
  const browser = await scene.signedIn(NURSE)
  const page = await scene.visit(browser, await scene.client())
  const allowed = await browser.submit(page, { decision: 'allow' })
  assert.match(allowed.location ?? '', /\/oidc\/continue/)
  const login = await browser.open(at('/oidc/login', interactionOf(page)))
  assert.equal(pathOf(await scene.signIn(browser, login, FACILITY)), '/oidc/consent')
})

test('a used interaction is gone: one code comes of it, however often and fast it is continued', async () => {
  const browser = await scene.signedIn()
  const page = await scene.visit(browser, await scene.client())
  const sent = await Promise.all([1, 2, 3, 4].map(() => browser.submit(page, { decision: 'allow' })))
  const ends = await Promise.all(sent.map((answer) => browser.follow(answer)))
  assert.equal(ends.filter(({ location }) => location !== null).length, 1)
  for (const end of ends.filter(({ location }) => location === null)) assertGone(end)
  for (const path of PAGES) assertGone(await browser.open(at(path, interactionOf(page))))
})

test('a login form that is sent twice at once signs in, and the second time later changes nothing', async () => {
  const browser = new WebClient()
  const page = await scene.visit(browser, firstParty)
  const typed = { username: NURSE, password: scene.password }
  const [one, two] = await Promise.all([browser.submit(page, typed), browser.submit(page, typed)])
  assert.deepEqual([one.status, two.status], [303, 303])
  const session = browser.cookie(scene.url, 'handover-session')
  assert.equal((await browser.submit(page, typed)).status, 403)
  assert.equal(browser.cookie(scene.url, 'handover-session'), session)
  assert.ok(arrivalOf(await browser.follow(two)).fields['code'])
})

test('after half an hour one has to begin again', async () => {
  const browser = new WebClient()
  const page = await scene.visit(browser, thirdParty)
  const [row] = await scene.db<Array<{ minutes: number }>>`
    select round(extract(epoch from expires_at - created_at) / 60)::int as minutes from interactions order by created_at desc limit 1`
  assert.equal(row?.minutes, 30)
  await scene.db`update interactions set expires_at = now()`
  for (const path of PAGES) assertGone(await browser.open(at(path, interactionOf(page))))
  assertGone(await browser.submit(page, { username: NURSE, password: scene.password }))
})

test('what a page’s address says besides its interaction changes nothing about the request', async () => {
  const browser = await scene.signedIn()
  const page = await scene.visit(browser, await scene.client())
  const more = `&redirect_uri=${encodeURIComponent('https://evil.example')}&scope=email&client_id=${firstParty.id}`
  const again = await browser.open(at('/oidc/consent', interactionOf(page)) + more)
  assert.equal(again.text.replaceAll(/req_\w+/g, ''), page.text.replaceAll(/req_\w+/g, ''))
  assert.equal((await allow(browser, again)).target, 'https://client.example/callback')
})

test('an application that is suspended in the meantime gets no code', async () => {
  const browser = await scene.signedIn()
  const application = await scene.client()
  const page = await scene.visit(browser, application)
  const allowed = await browser.submit(page, { decision: 'allow' })
  await scene.db`update applications set suspended_at = now() where id = ${application.id}`
  await announce(scene.db, { topic: 'application', key: application.id, forSeconds: 60 })
  const silent = scene.address(application, { prompt: 'none' })
  const known = async () => arrivalOf(await browser.get(silent)).fields['error'] === 'unauthorized_client'
  assert.ok(await soonHeard(scene.db, known))
  assert.equal(arrivalOf(await browser.follow(allowed)).fields['error'], 'unauthorized_client')
})

function at(path: string, interaction: string): string {
  return `${scene.url}${path}?interaction=${interaction}`
}

function interactionOf(page: WebAnswer): string {
  const { interaction } = fieldsOf(page)
  assert.ok(interaction)
  return interaction
}

function fieldsOf(page: WebAnswer): FormFields {
  return onlyForm(page).fields
}

async function allow(browser: WebClient, page: WebAnswer) {
  return arrivalOf(await browser.send(page, { decision: 'allow' }))
}

function assertGone(answer: WebAnswer): void {
  assertErrorPage(answer, 'interaction_expired')
}
