import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { signedHeaders } from '../../src/domain/deliveries/signature.ts'
import { newWebhookSecret } from '../../src/domain/webhooks/webhook-secret.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every page of quick start, signatures and asking support', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const ann = await scene.colleague('Ann Lee')
  const bob = await scene.colleague('Bob Ray')
  const team = await scene.team('Rota Partners', [
    [ann, 'owner'],
    [bob, 'read-only'],
  ])
  const { application: plain } = await scene.application(team, { name: 'Plain', type: 'machine' })
  const { application: full } = await scene.application(team, {
    name: 'Full',
    redirectUris: [`https://partner.example/${'callback/'.repeat(20)}`],
    clientCredentials: true,
    passwordGrant: true,
    suspended: true,
  })
  await scene.db`
    insert into support_requests
      (id, application_id, team_id, asked_by, setting, wanted, reason, state, answer, answered_by, answered_at)
    values
      ('sup_1', ${full}, ${team}, ${ann.id}, 'first-party', '{"firstParty":true}', ${'Ours. '.repeat(60)}, 'open', null, null, null),
      ('sup_2', ${full}, ${team}, ${ann.id}, 'token-rate', '{"ratePerSecond":500,"rateBurst":900}', 'Peaks', 'approved',
       ${`You are welcome ${'w'.repeat(200)}`}, 'Sam', now()),
      ('sup_3', ${full}, ${team}, null, 'post-logout-uris',
       ${scene.db.json({ postLogoutRedirectUris: [`https://partner.example/${'x'.repeat(300)}`] })}, 'Sign-out', 'denied', 'Not yet', 'Sam', now())`
  const cookies = {
    anns: (await scene.signedIn(ann)).cookiesFor(scene.url),
    bobs: (await scene.signedIn(bob)).cookiesFor(scene.url),
  }
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const at = (application: string, page: string) => `/teams/${team}/applications/${application}/${page}`
  const pages: Record<string, PageForPeople> = {
    'quick start, everything enabled': {
      title: 'Quick start · Full',
      open: async (page) => {
        await own(page, at(full, 'quick-start'))
        await page.locator('.catalogue summary').first().click()
      },
    },
    'quick start, nothing enabled': {
      title: 'Quick start · Plain',
      open: (page) => own(page, at(plain, 'quick-start')),
    },
    'ask support, nothing asked yet': { title: 'Ask support · Plain', open: (page) => own(page, at(plain, 'support')) },
    'ask support, the form': {
      title: 'Ask support · Plain',
      open: (page) => own(page, at(plain, 'support?setting=api-scopes')),
    },
    'ask support, refused': {
      title: 'Ask support · Plain',
      open: async (page) => {
        await own(page, at(plain, 'support?setting=token-rate'))
        await page.getByLabel('Burst').fill('many')
        await page.getByRole('button', { name: 'Send to support' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'ask support, requests and answers, suspended': {
      title: 'Ask support · Full',
      open: (page) => own(page, at(full, 'support?setting=suspension')),
    },
    'ask support, as a reader': {
      title: 'Ask support · Full',
      open: (page) => own(page, at(full, 'support'), cookies.bobs),
    },
    'signature debugger': { title: 'Signature debugger', open: (page) => own(page, `/teams/${team}/debugger`) },
    'signature debugger, refused': {
      title: 'Signature debugger',
      open: async (page) => {
        await own(page, `/teams/${team}/debugger`)
        await page.getByRole('button', { name: 'Explain' }).click()
        await page.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'signature debugger, wrong': {
      title: 'Signature debugger',
      open: (page) => explain(page, newWebhookSecret(), new Date(0)),
    },
    'signature debugger, valid': {
      title: 'Signature debugger',
      open: (page) => explain(page, null, new Date()),
    },
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  async function own(page: Page, path: string, whose = cookies.anns): Promise<void> {
    await page.context().addCookies(whose)
    await page.goto(scene.at(path))
  }

  /** With the secret that fits, unless another is given. */
  async function explain(page: Page, wrong: string | null, now: Date): Promise<void> {
    const secret = newWebhookSecret()
    const body = JSON.stringify({ id: 'evt_1', data: 'x'.repeat(300) })
    const headers = Object.entries(signedHeaders({ id: 'evt_1', body }, [secret], now))
    await own(page, `/teams/${team}/debugger`)
    await page.getByLabel('Headers').fill(headers.map(([name, value]) => `${name}: ${value}`).join('\n'))
    await page.getByLabel('Body').fill(body)
    await page.getByLabel('Secret', { exact: true }).fill(wrong ?? secret)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText(wrong === null ? 'The signature is valid' : 'The signature does not verify').waitFor()
  }
})
