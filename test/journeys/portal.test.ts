import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { codeIn, linkIn, nextMail } from '../harness/demo-mail.ts'
import { calmMoment, codeOf, secretFrom } from '../harness/one-time-codes.ts'
import { newAddress, PORTAL_PASSWORD, startPortalScene } from '../harness/portal-scene.ts'

describe('the portal in a browser', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`sign up → verify → team → invite → join → two-factor, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const [hers, his] = [await visitor(javaScriptEnabled), await visitor(javaScriptEnabled)]
      const [ann, bob] = [newAddress(), newAddress()]

      await hers.goto(scene.url)
      await hers.getByRole('link', { name: 'Developer portal' }).click()
      await hers.getByRole('link', { name: 'Create an account' }).click()
      await signUp(hers, 'Ann Lee', ann)
      await hers.getByRole('heading', { level: 1, name: 'Ann Lee’s team' }).waitFor()

      await hers.getByRole('link', { name: 'Rename' }).click()
      await hers.getByLabel('Name of the team').fill('Rota Partners')
      await hers.getByRole('button', { name: 'Save' }).click()
      await hers.getByText('The team has a new name.').waitFor()

      await hers.getByLabel('E-mail').fill(bob)
      await hers.getByLabel('Read-only').check()
      await hers.getByRole('button', { name: 'Send the invitation' }).click()
      await hers.getByText('The invitation is on its way').waitFor()

      await his.goto(linkIn(await nextMail(scene.url, bob)))
      await his.getByRole('heading', { name: 'Join Rota Partners' }).waitFor()
      await his.getByRole('link', { name: 'Create an account' }).click()
      await signUp(his, 'Bob Ray', bob)
      await his.getByRole('heading', { level: 1, name: 'Rota Partners' }).waitFor()
      assert.equal(await his.getByRole('button', { name: 'Send the invitation' }).count(), 0)

      await hers.reload()
      await hers.getByRole('cell', { name: /^Bob Ray/ }).waitFor()
      await hers.getByRole('link', { name: 'Audit log' }).click()
      await hers.getByRole('cell', { name: 'Member joined' }).waitFor()

      await calmMoment()
      await hers.getByRole('link', { name: 'Your account' }).first().click()
      await hers.getByRole('link', { name: 'Turn on two-factor sign-in' }).click()
      const secret = secretFrom((await hers.locator('.key code').textContent()) ?? '')
      await hers.getByLabel('Six-digit code from the app').fill(codeOf({ secret }))
      await hers.getByLabel('Password').fill(PORTAL_PASSWORD)
      await hers.getByRole('button', { name: 'Turn on' }).click()
      const recoveryCode = (await hers.locator('.codes code').first().textContent()) ?? ''
      await hers.getByRole('link', { name: 'I have kept them' }).click()

      await hers.getByRole('button', { name: 'Sign out' }).click()
      await hers.getByLabel('E-mail').fill(ann)
      await hers.getByLabel('Password').fill(PORTAL_PASSWORD)
      await hers.getByRole('button', { name: 'Sign in', exact: true }).click()
      await hers.getByRole('link', { name: 'Use a recovery code' }).click()
      await hers.getByLabel('Recovery code').fill(recoveryCode)
      await hers.getByRole('button', { name: 'Sign in', exact: true }).click()
      await hers.getByRole('heading', { level: 1, name: 'Rota Partners' }).waitFor()

      await hers.locator('summary').click()
      await hers.getByRole('link', { name: 'Create another team' }).click()
      await hers.getByLabel('Name of the team').fill('Second team')
      await hers.getByRole('button', { name: 'Create the team' }).click()
      await hers.getByRole('heading', { level: 1, name: 'Second team' }).waitFor()
      await hers.locator('summary').click()
      await hers.getByRole('link', { name: 'Rota Partners' }).click()
      await hers.getByRole('heading', { level: 1, name: 'Rota Partners' }).waitFor()
      await Promise.all([hers.context().close(), his.context().close()])
    })
  }

  async function visitor(javaScriptEnabled: boolean): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled })
    context.setDefaultTimeout(20_000)
    return context.newPage()
  }

  async function signUp(page: Page, name: string, email: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PORTAL_PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Code').fill(codeIn(await nextMail(scene.url, email)))
    await page.getByRole('button', { name: 'Create account' }).click()
  }
})
