import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { signedHeaders } from '../../src/domain/deliveries/signature.ts'
import { insertWebhook, type NewWebhook } from '../../src/domain/webhooks/webhook-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { FACILITY, NURSE, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { linkIn, nextMail } from '../harness/demo-mail.ts'
import { enrol } from '../harness/one-time-codes.ts'
import { beginSignUpAt, signInAt } from '../harness/people.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every page', { skip: browserMissing }, async () => {
  const scene = await startAuthorizeScene()
  const asks = await scene.client({ name: 'Rota Partners', logoUrl: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' })
  const firstParty = await scene.client({ firstParty: true })
  const cookies = (await scene.signedIn()).cookiesFor(scene.url)
  const cautious = (await scene.signedIn(FACILITY)).cookiesFor(scene.url)
  const [facility] = await scene.db<[{ id: string }]>`select id from users where email_folded = ${FACILITY}`
  const authenticator = await enrol(scene.service, facility.id)
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const receiver = scene.service.demo['RECEIVER_URL'] ?? ''
  const ownWebhook: NewWebhook = {
    id: newId('whk'),
    kind: 'user',
    environment: 'sandbox',
    applicationId: asks.id,
    userId: null,
    url: `${receiver}/hook`,
    events: ['all'],
    facilities: [],
    secrets: ['a secret'],
  }
  const everything = {
    scope: 'openid profile email phone address role offline_access marketplace:read marketplace:write',
  }
  const pages: Record<string, PageForPeople> = {
    'sign in': { title: 'Sign in', open: (page) => page.goto(scene.address(asks)) },
    'sign in, refused': {
      title: 'Sign in',
      open: async (page) => {
        await page.goto(scene.address(asks))
        await signInAt(page, NURSE, 'wrong')
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    consent: {
      title: 'Allow access',
      open: async (page) => {
        await page.goto(scene.address(asks, { ...everything, audience: 'urn:handover:api:production' }))
        await signInAt(page, NURSE, scene.password)
        await page.waitForURL('**/oidc/consent?*')
      },
    },
    'choose an account': {
      title: 'Choose an account',
      open: async (page) => {
        await own(page, '/oidc/account')
        await page.goto(scene.address(firstParty, { prompt: 'select_account' }))
      },
    },
    'sign out': { title: 'Sign out', open: (page) => own(page, '/oidc/logout') },
    'signed out': { title: 'Signed out', open: (page) => page.goto(`${scene.url}/oidc/logout`) },
    error: {
      title: 'This request cannot be carried out',
      open: (page) => page.goto(scene.address(asks, { redirect_uri: 'https://evil.example' })),
      refused: true,
    },
    'form out of date': {
      title: 'Please start again',
      open: (page) => page.goto(`${scene.url}/oidc/login`),
      refused: true,
    },
    'form_post, waiting for the button': {
      title: 'Continue',
      open: async (page) => {
        // As without JavaScript, which axe itself needs.
        await page.route('**/oidc/authorize?*', async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, body: (await response.text()).replace(/<script>.*<\/script>/, '') })
        })
        await page.goto(scene.address(firstParty, { response_mode: 'form_post', prompt: 'none' }))
      },
    },
    'sign up': {
      title: 'Create an account',
      open: (page) => page.goto(scene.address(asks, { screen_hint: 'signup' })),
    },
    'sign up, refused': {
      title: 'Create an account',
      open: async (page) => {
        await page.goto(scene.address(asks, { screen_hint: 'signup' }))
        await page.locator('main form button[type=submit]').first().click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'forgotten password': {
      title: 'Forgotten password',
      open: async (page) => {
        await page.goto(scene.address(asks))
        await page.getByRole('link', { name: /forgotten/i }).click()
      },
    },
    account: { title: 'Your account', open: (page) => own(page, '/oidc/account') },
    profile: { title: 'Your profile', open: (page) => own(page, '/oidc/account/profile') },
    password: { title: 'Change your password', open: (page) => own(page, '/oidc/account/password') },
    'two-factor': { title: 'Turn on two-factor sign-in', open: (page) => own(page, '/oidc/account/two-factor') },

    'sign up, code sent': {
      title: 'Check your mail',
      open: async (page) => {
        await page.goto(scene.address(asks, { screen_hint: 'signup' }))
        await beginSignUpAt(page, 'axe@example.com', 'a long enough secret')
        await page.getByLabel('Code').waitFor()
      },
    },
    'forgotten password, link sent': { title: 'Check your mail', open: (page) => askForLink(page, NURSE) },
    'new password': {
      title: 'New password',
      open: async (page) => {
        await askForLink(page, 'nurse2@example.com')
        await page.goto(linkIn(await nextMail(scene.url, 'nurse2@example.com')))
      },
    },
    'new password, dead link': {
      title: 'This link no longer works',
      open: (page) => page.goto(`${scene.url}/oidc/reset/password?secret=none`),
      refused: true,
    },
    'one-time code': {
      title: 'Enter your code',
      open: async (page) => {
        await page.goto(scene.address(asks))
        await signInAt(page, FACILITY, scene.password)
        await page.getByLabel('Six-digit code').waitFor()
      },
    },
    'recovery code': {
      title: 'Use a recovery code',
      open: async (page) => {
        await page.goto(scene.address(asks))
        await signInAt(page, FACILITY, scene.password)
        await page.getByRole('link', { name: /recovery code/i }).click()
      },
    },
    'two-factor, on': {
      title: 'Two-factor sign-in',
      open: (page) => own(page, '/oidc/account/two-factor', cautious),
    },
    'two-factor, turn off': {
      title: 'Turn off two-factor sign-in',
      open: (page) => own(page, '/oidc/account/two-factor/turn-off', cautious),
    },
    'recovery codes, shown once': {
      title: 'Your recovery codes',
      open: async (page) => {
        await own(page, '/oidc/account/two-factor/recovery-codes', cautious)
        await page.getByLabel('Password').fill(scene.password)
        await page.getByLabel('Code from your app, or a recovery code').fill(authenticator.recoveryCodes[0] ?? '')
        await page.getByRole('button', { name: 'Make new codes' }).click()
        await page.waitForFunction("document.title.startsWith('Your recovery codes')")
      },
    },
    front: { title: 'Identity and webhooks', open: (page) => page.goto(scene.url) },
    'demo mailbox': { title: 'Demo mailbox', open: (page) => page.goto(`${scene.url}/demo/mailbox`) },
    'webhook receiver, empty': { title: 'Webhook receiver', open: (page) => page.goto(receiver) },
    'webhook receiver, filled': {
      title: 'Webhook receiver',
      open: async (page) => {
        const body = `{"type":"shift.created","data":{"note":"${'long'.repeat(200)}"}}`
        const headers = signedHeaders({ id: 'evt_1', body }, ['a secret'], new Date())
        await insertWebhook(scene.db, scene.service.deps.cipher, ownWebhook, 1)
        await fetch(`${receiver}/hook`, { method: 'POST', body, headers })
        await fetch(`${receiver}/elsewhere`, { method: 'POST', body: 'text' })
        await page.goto(receiver)
        await page.getByText('signature valid').waitFor()
        await page.getByText('not to be trusted').waitFor()
      },
    },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  /** A page for somebody who is signed in. */
  async function own(page: Page, path: string, whose = cookies): Promise<void> {
    await page.context().addCookies(whose)
    await page.goto(scene.url + path)
  }

  async function askForLink(page: Page, login: string): Promise<void> {
    await page.goto(scene.address(asks))
    await page.getByRole('link', { name: /forgotten/i }).click()
    await page.getByLabel('E-mail or username').fill(login)
    await page.locator('main form button[type=submit]').first().click()
    await page.getByText('Check your mail').first().waitFor()
  }
})
