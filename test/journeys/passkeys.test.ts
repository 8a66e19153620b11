import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { PORTAL_PASSWORD, startPortalScene } from '../harness/portal-scene.ts'

describe('passkeys in a browser', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  test('add → sign out → sign in → the same answer again is refused → remove → refused', async () => {
    const ann = await scene.colleague('Ann Lee')
    await scene.team('Rota Partners', [[ann, 'owner']])
    const { page, devtools, authenticatorId } = await withAuthenticator()
    await signIn(page, ann.email)

    await page.getByRole('link', { name: 'Your account' }).first().click()
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByLabel('Name').fill('Work laptop')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Make the passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
    await page.getByText('not used yet').waitFor()
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    assert.equal(credentials[0]?.isResidentCredential, true)

    await page.getByRole('link', { name: 'Add another passkey' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Make the passkey' }).click()
    await page.getByText('has a passkey for your account already').waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(scene.at('/account/passkeys'))
    const sent = page.waitForRequest((request) => request.url() === scene.at('/sign-in/passkey'))
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('last used').waitFor()
    const replayed = await replay(page, (await sent).postData() ?? '')
    assert.equal(replayed, 400)

    await page.getByRole('link', { name: 'Manage Work laptop' }).click()
    await page.getByRole('button', { name: 'Remove the passkey' }).click()
    await page.getByText('You have none yet').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('That passkey did not work').waitFor()
    await page.context().close()
  })

  test('the passkey of another account signs in to that account only, and a person who is not verified to none', async () => {
    const [ann, bob] = [await scene.colleague('Ann Lee'), await scene.colleague('Bob Ray')]
    const { page, devtools, authenticatorId } = await withAuthenticator()
    await signIn(page, ann.email)
    await makePasskey(page)
    const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId })
    const [annsKey] = credentials
    assert.ok(annsKey)
    await page.getByRole('button', { name: 'Sign out' }).click()

    // As if the authenticator had been made to say that the key is Bob's.
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: annsKey.credentialId })
    const userHandle = Buffer.from(bob.id).toString('base64')
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...annsKey, userHandle } })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('That passkey did not work').waitFor()

    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId: annsKey.credentialId })
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential: annsKey })
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('link', { name: 'Ann Lee' }).waitFor()
    await page.context().close()
  })

  test('without JavaScript the pages say what is missing, and the password works', async () => {
    const ann = await scene.colleague('Ann Lee')
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
    await page.goto(scene.at('/sign-in'))
    await assertTold(page, /Signing in with a passkey needs JavaScript/)
    assert.ok(await page.locator('button[data-passkey]').isHidden())
    await signIn(page, ann.email)
    await page.goto(scene.at('/account/passkeys/new'))
    await assertTold(page, /Adding a passkey needs JavaScript/)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Make' }).waitFor()
    await assertTold(page, /Adding a passkey needs JavaScript/)
    assert.ok(await page.locator('button[data-passkey]').isHidden())
    await page.context().close()
  })

  async function assertTold(page: Page, words: RegExp): Promise<void> {
    const told = page.locator('noscript p')
    await told.waitFor()
    assert.match((await told.textContent()) ?? '', words)
  }

  async function withAuthenticator(): Promise<{ page: Page; devtools: CDPSession; authenticatorId: string }> {
    const context = await browser.newContext()
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return { page, devtools, authenticatorId }
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto(scene.at('/sign-in'))
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PORTAL_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }

  async function makePasskey(page: Page): Promise<void> {
    await page.goto(scene.at('/account/passkeys/new'))
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Make the passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
  }

  /** The same answer of the authenticator, with a token that is right now. */
  async function replay(page: Page, body: string): Promise<number> {
    const form = new URLSearchParams(body)
    form.set('csrf', (await page.locator('input[name=csrf]').first().inputValue()) ?? '')
    const answer = await page.request.post(scene.at('/sign-in/passkey'), {
      form: Object.fromEntries(form),
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    return answer.status()
  }
})
