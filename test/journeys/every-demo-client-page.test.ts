import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startHandover } from '../harness/handover.ts'
import { allowAt, signInAt } from '../harness/people.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('the demo client', { skip: browserMissing }, async () => {
  const { url, demo, stop } = await startHandover()
  const home = `${url}/demo/client`
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await stop()
  })

  const pages: Record<string, PageForPeople> = {
    'where it begins': { title: 'Demo client', open: (page) => page.goto(home) },
    'a walk that begins': { title: 'Code with PKCE · Demo client', open: (page) => begin(page, 'Code with PKCE') },
    'a walk with a code that nobody asked for': {
      title: 'Code with a client secret · Demo client',
      open: (page) => page.goto(`${home}/callback?code=${'c'.repeat(300)}&state=hello`),
    },
    'a walk to its end, every step open': {
      title: 'Code with a client secret · Demo client',
      open: async (page) => {
        await walk(page, 'Code with a client secret')
        await press(page, 'Exchange it', '4. Exchange the code')
        await press(page, 'Ask userinfo', '5. Ask who it is')
        await press(page, 'Renew them', '6. Renew the tokens')
        await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
      },
    },
    'the answer in the fragment': {
      title: 'The answer is in the fragment',
      open: (page) => walk(page, 'Implicit, in the fragment'),
    },
  }
  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }

  for (const flow of ['Implicit, by form_post', 'Implicit, in the fragment'] as const) {
    test(`${flow}: the browser brings the tokens, every check passes, and logout leads back`, async () => {
      const context = await browser.newContext()
      context.setDefaultTimeout(20_000)
      try {
        const page = await context.newPage()
        const complaints: string[] = []
        page.on('console', (message) => complaints.push(message.text()))
        await walk(page, flow)
        if (flow === 'Implicit, in the fragment') {
          assert.equal(page.url(), `${home}/spa`, 'the tokens do not stay in the address')
          await press(page, 'Look at the answer', '3. The answer comes back')
        }
        await page.getByText('Signed in. What next?').waitFor()
        assert.equal(await page.locator('#now .passes').count(), 8)
        assert.equal(await page.locator('.fails').count(), 0)
        await press(page, 'Sign out', 'Choose a way to sign in')
        assert.match(
          (await page.getByRole('status').first().textContent()) ?? '',
          /^Signed out, here and at the identity/,
        )
        assert.deepEqual(complaints, [])
      } finally {
        await context.close()
      }
    })
  }

  async function begin(page: Page, flow: string): Promise<void> {
    await page.goto(home)
    await page.getByRole('button', { name: `Begin ${flow}` }).click()
    await page.waitForURL(`${home}/walk#next`)
  }

  /** Up to the answer of /authorize. */
  async function walk(page: Page, flow: string): Promise<void> {
    await begin(page, flow)
    await page.getByRole('link', { name: 'Go and sign in' }).click()
    await signInAt(page, demo['NURSE_EMAIL'] ?? '', demo['DEMO_PASSWORD'] ?? '')
    await page.waitForURL(/\/oidc\/consent|\/demo\/client\//)
    if (page.url().includes('/oidc/consent')) await allowAt(page)
    await page.waitForURL(/\/demo\/client\/(?:walk|spa$)/)
  }

  /** `heading` stands on the page that it leads to, and not on this one. */
  async function press(page: Page, button: string, heading: string): Promise<void> {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { name: heading }).waitFor()
  }
})
