import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { codeIn, nextMail } from '../harness/demo-mail.ts'
import { newAddress, PORTAL_PASSWORD, startPortalScene } from '../harness/portal-scene.ts'
import { shellMissing, Terminal } from '../harness/snippets.ts'
import { PATIENCE_MS, soon, soonHeard } from '../harness/soon.ts'
import { SANDBOX } from '../harness/token-scene.ts'

/** Everything that somebody does on their first afternoon, and what support does for them. */
describe('a new integrator', { skip: browserMissing || shellMissing }, async () => {
  const scene = await startPortalScene()
  const { RECEIVER_URL = '', SUPPORT_EMAIL = '', DEMO_PASSWORD = '' } = scene.service.demo
  const callback = `${RECEIVER_URL}/callback`
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  for (const javaScriptEnabled of [true, false]) {
    const script = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`

    test(`sign up → application → redirect URI → curl → webhook → test event → debugger, ${script}`, async () => {
      const page = await visitor(javaScriptEnabled)
      const { secret, person } = await signUpAndCreate(page, { kind: 'A web site', people: 'Yes, for people' })

      await part(page, 'Settings')
      await page.getByLabel('Redirect URIs').fill('http://example.com/callback')
      await page.getByRole('button', { name: 'Save the settings' }).click()
      await page.getByRole('alert').waitFor()
      await page.getByLabel('Redirect URIs').fill(callback)
      await page.getByRole('button', { name: 'Save the settings' }).click()
      await page.locator('.notice.done').waitFor()

      await part(page, 'Quick start')
      const terminal = new Terminal()
      await terminal.paste(await snippet(page, 'the preparation'))
      await terminal.paste(await snippet(page, 'the question for the secret'), secret)
      const address = await terminal.paste(await snippet(page, 'the way to the sign-in page'))
      const code = await codeFor(javaScriptEnabled, address, person)
      await terminal.paste(await snippet(page, 'the question for the code'), code)
      assert.match(await terminal.paste(await snippet(page, 'authorization code')), /"access_token":"/)

      await part(page, 'Webhooks')
      await page.getByRole('link', { name: 'Create a webhook' }).first().click()
      await page.getByLabel('URL').fill(`${RECEIVER_URL}/hook`)
      await page.getByLabel('shift.created', { exact: true }).check()
      for (const facility of await page.locator('input[name="facilities"]').all()) await facility.check()
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('button', { name: 'Reveal the secret' }).click()
      const signing = (await page.locator('.secrets code').first().textContent()) ?? ''
      assert.match(signing, /^whsec_/)

      await page.getByRole('link', { name: 'Send a test event' }).first().click()
      await page.getByRole('button', { name: 'Send shift.created' }).click()
      await page.waitForURL('**/deliveries/dlv_*')
      // The page waits four seconds for the attempt; who comes before it is over looks again later.
      const delivered = page.getByRole('heading', { name: /shift\.created\s+delivered/ })
      const isDelivered = async () =>
        (await delivered.isVisible()) || (await page.reload(), await delivered.isVisible())
      assert.ok(await soon(isDelivered, PATIENCE_MS))
      await page.getByRole('link', { name: 'Check this signature' }).click()
      await page.getByLabel('Secret', { exact: true }).fill(signing)
      await page.getByRole('button', { name: 'Explain' }).click()
      await page.getByRole('heading', { name: 'The signature is valid' }).waitFor()
      await page.context().close()
    })

    test(`client_credentials: refused → asked for → approved by support → works at once, ${script}`, async () => {
      const [page, desk] = [await visitor(javaScriptEnabled), await visitor(javaScriptEnabled)]
      const { clientId, secret } = await signUpAndCreate(page, { kind: 'A program', people: 'No, for itself' })
      const ask = async () => {
        const fields = {
          grant_type: 'client_credentials',
          client_id: clientId,
          client_secret: secret,
          audience: SANDBOX,
        }
        const answer = await fetch(`${scene.url}/oidc/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams(fields),
        })
        return { status: answer.status, text: await answer.text() }
      }
      assert.match((await ask()).text, /"error":"unauthorized_client"/)

      await part(page, 'Quick start')
      await page.getByRole('link', { name: /ask/i }).and(page.locator('[href*="client-credentials"]')).first().click()
      await page.getByLabel('Reason').fill('The roster is synchronised every night.')
      await page.getByRole('button', { name: 'Send to support' }).click()
      await page.getByText('waiting for support').waitFor()

      await desk.goto(`${scene.url}/support`)
      await desk.getByLabel('E-mail').fill(SUPPORT_EMAIL)
      await desk.getByLabel('Password').fill(DEMO_PASSWORD)
      await desk.getByRole('button', { name: 'Sign in', exact: true }).click()
      await desk.locator('a[href^="/support/requests/"]').first().click()
      await desk.getByText('The roster is synchronised every night.').waitFor()
      await desk.getByLabel('Note').fill('Enabled. Mind the rate limit.')
      await desk.getByRole('button', { name: 'Approve' }).click()
      await desk.locator('.notice.done').waitFor()

      assert.ok(await soonHeard(scene.db, async () => (await ask()).status === 200), (await ask()).text)
      await page.reload()
      await page.getByText('Enabled. Mind the rate limit.').waitFor()
      await Promise.all([page.context().close(), desk.context().close()])
    })
  }

  async function visitor(javaScriptEnabled: boolean): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(20_000)
    return context.newPage()
  }

  async function signUpAndCreate(page: Page, answers: { kind: string; people: string }) {
    const email = newAddress()
    await page.goto(scene.at('/sign-up'))
    await page.getByLabel('Name', { exact: true }).fill('New Comer')
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PORTAL_PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Code').fill(codeIn(await nextMail(scene.url, email)))
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Applications' }).click()
    await page
      .getByRole('link', { name: /Create .*application/ })
      .first()
      .click()
    await page.getByLabel('Name', { exact: true }).fill('Rota Sync')
    await page.getByLabel(answers.kind).check()
    await page
      .getByRole('group', { name: /back end/ })
      .getByLabel('Yes')
      .check()
    await page.getByLabel(answers.people).check()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Create the application' }).click()
    await page.getByText('Rota Sync is created.').waitFor()
    const shown = async (name: string) =>
      (await page.locator(`dt:text-is("${name}") + dd code`).first().textContent()) ?? ''
    return {
      clientId: await shown('Client ID'),
      secret: await shown('Client secret'),
      person: { email: await shown('Test person'), password: await shown('Their password') },
    }
  }

  const part = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name }).click()

  const snippet = async (page: Page, name: string) =>
    (await page.locator(`[data-copy="${name}"] code`).textContent()) ?? ''

  /** The test person signs in at the address that the terminal printed, and allows it if they are asked. */
  async function codeFor(javaScriptEnabled: boolean, address: string, person: { email: string; password: string }) {
    const page = await visitor(javaScriptEnabled)
    await page.goto(address)
    await page.getByLabel('E-mail or username').fill(person.email)
    await page.getByLabel('Password').fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const allow = page.getByRole('button', { name: 'Allow', exact: true })
    await Promise.race([allow.waitFor(), page.waitForURL(`${callback}*`)])
    if (!page.url().startsWith(callback)) await allow.click()
    await page.waitForURL(`${callback}*`)
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    await page.context().close()
    return code
  }
})
