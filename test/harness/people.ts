import type { Page } from 'playwright-core'
import { codeIn, nextMail } from './demo-mail.ts'

/** What a person types and presses, in Chromium. */
export async function signInAt(page: Page, login: string, password: string): Promise<void> {
  await page.getByLabel('E-mail or username').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signUpAt(page: Page, serviceUrl: string, email: string, password: string): Promise<void> {
  await beginSignUpAt(page, email, password)
  await page.getByLabel('Code').fill(codeIn(await nextMail(serviceUrl, email)))
  await page.getByRole('button', { name: 'Create account' }).click()
}

export async function beginSignUpAt(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('I am a nurse').check()
  await page.getByLabel('Name', { exact: true }).fill('New Nurse')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.locator('main form button[type=submit]').first().click()
}

export async function allowAt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
}
