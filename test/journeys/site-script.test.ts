import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { PORTAL_PASSWORD, startPortalScene } from '../harness/portal-scene.ts'
import { soon } from '../harness/soon.ts'

describe('the one script', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const ann = await scene.colleague('Ann Lee')
  await scene.team('Rota Partners', [[ann, 'owner']])
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  test('the list of teams closes by Escape, with the focus back on it, and by a click elsewhere', async () => {
    const page = await signedIn()
    const list = page.locator('details.switch')
    await page.locator('summary').click()
    await page.getByRole('link', { name: 'Create another team' }).focus()
    await page.keyboard.press('Escape')
    assert.equal(await list.getAttribute('open'), null)
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
    await page.locator('summary').click()
    await page.locator('h1').click()
    assert.equal(await list.getAttribute('open'), null)
    await page.context().close()
  })

  test('times are in the reader’s zone, and what the page said stays with them', async () => {
    const page = await signedIn({ timezoneId: 'Asia/Tokyo' })
    await page.goto(scene.at('/account'))
    const time = page.locator('time[data-local]').first()
    assert.match((await time.textContent()) ?? '', /^\d{1,2} \w+ \d{4}, \d\d:\d\d (?:GMT\+9|JST)$/)
    assert.match((await time.getAttribute('title')) ?? '', /UTC$/)
    await page.context().close()
  })

  test('what can be copied has a button that copies it and says so; a form is not sent twice', async () => {
    const page = await signedIn({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.route('**/portal/account', async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({ response, body: text.replace('<main', '<code data-copy="client id"> app_1 </code><main') })
    })
    await page.goto(scene.at('/account'))
    await page.getByRole('button', { name: 'Copy client id' }).click()
    await page.getByText('Copied client id').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'app_1')

    let posts = 0
    await page.route('**/portal/account/name', async (route) => {
      posts += 1
      // The page stays, as it does while an answer is under way: that is when people press again.
      await route.fulfill({ status: 204 })
    })
    await page.evaluate(`
      const save = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Save')
      save.click()
      save.click()
      save.click()`)
    await page.locator('form[aria-busy=true]').waitFor()
    assert.ok(await soon(async () => posts > 0))
    assert.equal(posts, 1)
    await page.context().close()
  })

  test('a page lets no text become markup or code, not even by our own script', async () => {
    const page = await signedIn()
    const refused = await page.evaluate(`
      ['innerHTML', 'outerHTML'].map((sink) => {
        try {
          document.querySelector('h1')[sink] = '<img src=x onerror=alert(1)>'
          return 'let through'
        } catch (error) {
          return error.name
        }
      }).join()`)
    assert.equal(refused, 'TypeError,TypeError')
    const policy = await page.evaluate(`
      (() => { try { trustedTypes.createPolicy('mine', {}); return 'made' } catch (error) { return error.name } })()`)
    assert.equal(policy, 'TypeError')
    await page.context().close()
  })

  async function signedIn(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    await page.goto(scene.at('/sign-in'))
    await page.getByLabel('E-mail').fill(ann.email)
    await page.getByLabel('Password').fill(PORTAL_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    // The script runs when the whole page has been read, and the button is seen before that.
    await page.waitForLoadState()
    return page
  }
})
