import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { NURSE, query, startAuthorizeScene } from '../harness/authorize-scene.ts'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { allowAt, signInAt } from '../harness/people.ts'
import { sentOn, startSite, titled } from '../harness/site.ts'

// Decision B23: Chromium applies form-action to the whole chain of redirects that a form's POST sets off. A callback on another
// origin that redirects on to a third one would be blocked after the application got its code, if the page named the origin.

describe('a callback that redirects on to a third origin', { skip: browserMissing }, async () => {
  const scene = await startAuthorizeScene()
  const home = await startSite('localhost', () => titled('Home'))
  const client = await startSite('127.0.0.1', () => sentOn(`${home.origin}/home`))
  const callback = `${client.origin}/callback`
  const application = await scene.client({
    redirectUris: [callback],
    implicit: true,
    postLogoutRedirectUris: [callback],
  })
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await Promise.all([home.close(), client.close(), scene.service.stop()])
  })

  for (const javaScriptEnabled of [true, false]) {
    for (const [type, mode] of [
      ['code', 'query'],
      ['token id_token', 'fragment'],
      ['token id_token', 'form_post'],
    ] as const) {
      test(`${type} by ${mode}, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
        await inPage(javaScriptEnabled, async (page) => {
          const asked = {
            response_type: type,
            response_mode: mode,
            redirect_uri: callback,
            nonce: 'n',
            prompt: 'consent',
          }
          await page.goto(scene.address(application, asked))
          await signInAt(page, NURSE, scene.password)
          await allowAt(page)
          if (mode === 'form_post' && !javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
          await page.waitForURL(`${home.origin}/home*`)
          assert.equal(await page.locator('h1').textContent(), 'Home')
          assertArrived(mode, type === 'code' ? 'code' : 'id_token', page.url())
        })
      })
    }
  }

  test('the person does not allow it', async () => {
    await inPage(false, async (page) => {
      await page.goto(scene.address(application, { redirect_uri: callback, prompt: 'consent' }))
      await signInAt(page, NURSE, scene.password)
      await page.getByRole('button', { name: 'Do not allow' }).click()
      await page.waitForURL(`${home.origin}/home`)
      assert.equal(client.visits.at(-1)?.url.searchParams.get('error'), 'access_denied')
    })
  })

  test('who has allowed it before goes straight from signing in to the third origin, and so does a confirmed logout', async () => {
    await inPage(false, async (page) => {
      await page.goto(scene.address(application, { redirect_uri: callback }))
      await signInAt(page, NURSE, scene.password)
      await page.waitForURL(`${home.origin}/home`)
      const asked = { client_id: application.id, post_logout_redirect_uri: callback, state: 'bye' }
      await page.goto(`${scene.url}/oidc/logout?${query(asked)}`)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${home.origin}/home`)
      assert.equal(client.visits.at(-1)?.url.searchParams.get('state'), 'bye')
    })
  })

  async function inPage(javaScriptEnabled: boolean, walk: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    try {
      await walk(page)
      assert.deepEqual(complaints, [])
    } finally {
      await context.close()
    }
  }

  /** A fragment stays in the browser and follows it to the end of the chain; everything else reached the application. */
  function assertArrived(mode: string, name: string, last: string): void {
    const visit = client.visits.at(-1)
    assert.equal(visit?.url.pathname, '/callback')
    if (mode === 'fragment') assert.ok(new URLSearchParams(new URL(last).hash.slice(1)).get(name))
    else if (mode === 'query') assert.ok(visit?.url.searchParams.get(name))
    else {
      assert.equal(visit?.method, 'POST')
      assert.ok(visit?.form.get(name))
      assert.ok(visit?.form.get('iss'))
    }
  }
})
