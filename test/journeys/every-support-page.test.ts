import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { startAccountReset } from '../../src/domain/credentials/account-reset-store.ts'
import { STAFF } from '../../src/domain/staff/staff.ts'
import { newId } from '../../src/platform/ids.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'
import { STAFF_PASSWORD, startSupportScene } from '../harness/support-scene.ts'

describe('every page of the support console', { skip: browserMissing }, async () => {
  const scene = await startSupportScene()
  const { db, desk } = scene
  const ann = await scene.colleague('Ann Lee')
  const bob = await scene.colleague('Roberto Fernández de la Cruz y Santamaría'.repeat(2))
  const team = await scene.team('Rota Partners', [
    [ann, 'owner'],
    [bob, 'developer'],
  ])
  const uris = Array.from({ length: 3 }, (_, at) => `https://app.example.com/${'callback'.repeat(8)}/${at}`)
  const application = await scene.applicationCalled('Night rota', team, { redirectUris: uris })
  const bare = await scene.applicationCalled('Bare', team)
  await db`update applications set suspended_at = now() where id = ${bare}`
  await insertApplicationSecret(db, application, 'Blue server', newId('sec'))
  const asked = { teamId: team, applicationId: application }
  const request = await scene.ask(ann, { ...asked, setting: 'client-credentials', wanted: { clientCredentials: true } })
  const reason = `We grew.\n${'Every night more shifts come in. '.repeat(20)}`
  await scene.ask(bob, { ...asked, setting: 'post-logout-uris', wanted: { postLogoutRedirectUris: uris }, reason })
  const denied = await scene.ask(ann, { ...asked, setting: 'first-party', wanted: { firstParty: true } })
  await db`
    update support_requests set state = 'denied', answer = 'People should see it.', answered_by = 'kim@example.com',
      answered_at = now() where id = ${denied}`
  const logged = newId('req')
  await db`
    insert into request_log (day, id, at, request_id, application_id, method, path, operation, status, error, reason, facts,
                             duration_ms, network, left_out)
    values (current_date, ${newId('rql')}, now(), ${logged}, ${application}, 'POST', '/oidc/oauth/token', 'client_credentials',
            400, 'unauthorized_client', 'client_credentials is off', '{}', 3, '127.0.0.0/24', 0)`
  const sam = await scene.agent('Sam Desk')
  const kim = await scene.agent('Kim', { secondFactor: false })
  const newcomer = await scene.agent('New Comer')
  const secret = await startAccountReset(db, STAFF, newcomer.id, 600)
  const cookies = { sams: (await scene.atDesk(sam)).cookiesFor(scene.url) }
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const at = `/applications/${application}`
  const pages: Record<string, PageForPeople> = {
    'sign in': { title: 'Sign in', open: (page) => page.goto(desk('/sign-in')) },
    'sign in, refused': { title: 'Sign in', open: (page) => signIn(page, newcomer.email, 'wrong'), refused: true },
    'one-time code': { title: 'Enter your code', open: (page) => signIn(page, newcomer.email, STAFF_PASSWORD) },
    'choose a password': { title: 'Choose a password', open: (page) => page.goto(desk(`/password?secret=${secret}`)) },
    'dead link': { title: 'This link no longer works', open: (page) => page.goto(desk('/password')), refused: true },
    queue: { title: 'Requests', open: (page) => own(page, '') },
    'queue, answered': { title: 'Requests', open: (page) => own(page, '?state=denied') },
    'queue, empty': { title: 'Requests', open: (page) => own(page, '?state=approved') },
    request: { title: 'Client credentials', open: (page) => own(page, `/requests/${request}`) },
    'request, denied without a note': {
      title: 'Client credentials',
      open: async (page) => {
        await own(page, `/requests/${request}`)
        await page.getByRole('button', { name: 'Deny' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    application: { title: 'Night rota', open: (page) => own(page, at) },
    'application, suspended': { title: 'Bare', open: (page) => own(page, `/applications/${bare}`) },
    setting: { title: 'Logout URLs', open: (page) => own(page, `${at}/settings/post-logout-uris`) },
    'setting, refused': {
      title: 'Rate limit of the token endpoint',
      open: async (page) => {
        await own(page, `${at}/settings/token-rate`)
        await page.getByLabel('Requests per second').fill('none')
        await page.getByRole('button', { name: 'Look at the change' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'setting, preview': {
      title: 'API scopes',
      open: async (page) => {
        await own(page, `${at}/settings/api-scopes`)
        await page.getByLabel('marketplace:write').uncheck()
        await page.getByLabel('Reason').fill(reason)
        await page.getByRole('button', { name: 'Look at the change' }).click()
        await page.getByRole('button', { name: 'Change it' }).waitFor()
      },
    },
    'confirm that it is you': {
      title: 'Confirm that it is you',
      open: async (page) => {
        await scene.age(sam, 11)
        await own(page, at)
        await page.getByLabel('Reason').fill('Spam.')
        await page.getByRole('button', { name: 'Suspend' }).click()
        await page.getByRole('button', { name: 'Confirm and go on' }).waitFor()
      },
    },
    team: { title: 'Rota Partners', open: (page) => own(page, `/teams/${team}`) },
    'find, empty': { title: 'Find', open: (page) => own(page, '/find') },
    'find, several': { title: 'Find', open: (page) => own(page, '/find?q=riverside') },
    'find, a request': { title: 'Find', open: (page) => own(page, `/find?q=${logged}`) },
    'audit log': { title: 'Audit log', open: (page) => own(page, '/audit') },
    'audit log, refused': { title: 'Audit log', open: (page) => own(page, '/audit?from=never'), refused: true },
    account: { title: 'Your account', open: (page) => own(page, '/account') },
    password: { title: 'Change your password', open: (page) => own(page, '/account/password') },
    'two-factor, set up': {
      title: 'Turn on two-factor sign-in',
      open: async (page) => {
        await signIn(page, kim.email, STAFF_PASSWORD)
        await page.goto(desk('/account/two-factor/set-up'))
      },
    },
    'nothing there': { title: 'Not found', open: (page) => own(page, '/nowhere'), refused: true },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(page: Page, path: string): Promise<void> {
    await page.context().addCookies(cookies.sams)
    await page.goto(desk(path))
  }

  async function signIn(page: Page, email: string, password: string): Promise<void> {
    await page.goto(desk('/sign-in'))
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
})
