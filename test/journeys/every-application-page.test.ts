import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every page of applications', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const { db } = scene
  const ann = await scene.colleague('Ann Lee')
  const reader = await scene.colleague('Eve Reader')
  const team = await scene.team('Rota Partners', [
    [ann, 'owner'],
    [reader, 'read-only'],
  ])
  const empty = await scene.team('Nothing yet', [[ann, 'owner']])
  const long = 'x'.repeat(60)
  const { application } = await scene.application(team, {
    name: 'Shift planner',
    redirectUris: [`https://rota.example/${'callback/'.repeat(20)}`],
    webOrigins: ['https://rota.example'],
  })
  await db`update application_secrets set last_used_at = now() - interval '2 days', created_at = now() - interval '9 days'`
  await db`
    insert into application_secrets (id, application_id, name, secret_hash, last_used_at)
    values ('sec_2', ${application}, ${long}, 'x', now())`
  const { application: single, secret: last } = await scene.application(team, { name: long, type: 'machine' })
  const { application: page } = await scene.application(team, { type: 'spa', tokenEndpointAuthentication: 'none' })
  await db`update application_secrets set revoked_at = now() where application_id = ${page}`
  const { application: gone } = await scene.application(team, { name: long })
  await db`update applications set deleted_at = now() where id = ${gone}`
  await db`update applications set suspended_at = now() where id = ${single}`
  const cookies = {
    anns: (await scene.signedIn(ann)).cookiesFor(scene.url),
    readers: (await scene.signedIn(reader)).cookiesFor(scene.url),
  }
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await scene.service.stop()
  })

  const all = `/teams/${team}/applications`
  const at = `${all}/${application}`
  const titled = (title: string, name = 'Shift planner') => `${title} · ${name}`
  const pages: Record<string, PageForPeople> = {
    list: { title: 'Applications', open: (tab) => own(tab, all) },
    'list, as a reader': { title: 'Applications', open: (tab) => own(tab, all, cookies.readers) },
    'list, empty': { title: 'Applications', open: (tab) => own(tab, `/teams/${empty}/applications`) },
    'three questions': { title: 'Create an application', open: (tab) => own(tab, `${all}/new`) },
    'three questions, unanswered': {
      title: 'Create an application',
      open: async (tab) => {
        await own(tab, `${all}/new`)
        await tab.getByRole('button', { name: 'Continue' }).click()
        await tab.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'what they come to': { title: 'Create an application', open: answer },
    created: {
      title: titled('Created', 'Night rota'),
      open: async (tab) => {
        await answer(tab)
        await tab.getByRole('button', { name: 'Create the application' }).click()
        await tab.getByText('They are shown only now').waitFor()
      },
    },
    overview: { title: titled('Overview'), open: (tab) => own(tab, at) },
    'overview, suspended machine': { title: titled('Overview', long), open: (tab) => own(tab, `${all}/${single}`) },
    'test person, renewed': {
      title: titled('Test person', 'Night rota'),
      open: async (tab) => {
        await answer(tab)
        await tab.getByRole('button', { name: 'Create the application' }).click()
        await tab.getByRole('link', { name: 'I have kept them' }).click()
        await tab.getByRole('button', { name: 'New password for the test person' }).click()
        await tab.getByText('Their new password').waitFor()
      },
    },
    settings: { title: titled('Settings'), open: (tab) => own(tab, `${at}/settings`) },
    'settings, as a reader': {
      title: titled('Settings'),
      open: (tab) => own(tab, `${at}/settings`, cookies.readers),
    },
    'settings, refused': {
      title: titled('Settings'),
      open: async (tab) => {
        await own(tab, `${at}/settings`)
        await tab.getByLabel('Redirect URIs').fill(`http://rota.example/cb\nhttps://${long}.example/#${long}`)
        await tab.getByLabel('Name').fill('')
        await tab.getByRole('button', { name: 'Save the settings' }).click()
        await tab.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'settings, saved meanwhile': {
      title: titled('Settings'),
      open: async (tab) => {
        await own(tab, `${at}/settings`)
        await db`update applications set strict_oidc = not strict_oidc where id = ${application}`
        await tab.getByLabel('Web origins').fill('https://mine.example')
        await tab.getByRole('button', { name: 'Save the settings' }).click()
        await tab.getByRole('alert').waitFor()
      },
      refused: true,
    },
    secrets: { title: titled('Client secrets'), open: (tab) => own(tab, `${at}/secrets`) },
    'secrets, none kept': { title: titled('Client secrets'), open: (tab) => own(tab, `${all}/${page}/secrets`) },
    'secrets, made': {
      title: titled('New secret', long),
      open: async (tab) => {
        await db`update application_secrets set revoked_at = now() where application_id = ${single} and id <> ${last}`
        await own(tab, `${all}/${single}/secrets`)
        await tab.getByLabel('Name').fill('July')
        await tab.getByRole('button', { name: 'Make the secret' }).click()
        await tab.getByText('They are shown only now').waitFor()
      },
    },
    'secrets, revoke': { title: titled('Revoke a secret'), open: (tab) => own(tab, `${at}/secrets/sec_2/revoke`) },
    'secrets, revoke the last': {
      title: titled('Revoke a secret', long),
      open: async (tab) => {
        await db`update application_secrets set revoked_at = now() where application_id = ${single} and id <> ${last}`
        await own(tab, `${all}/${single}/secrets/${last}/revoke`)
        await tab.getByRole('button', { name: 'Revoke the secret' }).click()
        await tab.locator('#understood-error').waitFor()
      },
      refused: true,
    },
    delete: {
      title: titled('Delete', long),
      open: async (tab) => {
        await own(tab, `${all}/${single}/delete`)
        await tab.getByRole('button', { name: 'Delete the application' }).click()
        await tab.getByText('That is not its name').waitFor()
      },
      refused: true,
    },
  }

  for (const [name, each] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, each))
  }

  async function answer(tab: Page): Promise<void> {
    await own(tab, `${all}/new`)
    await tab.getByLabel('Name').fill('Night rota')
    await tab.getByLabel('A web site').check()
    await tab.getByLabel('Yes A server of ours').check()
    await tab.getByLabel('Yes, for people').check()
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByRole('button', { name: 'Create the application' }).waitFor()
  }

  async function own(tab: Page, path: string, whose = cookies.anns): Promise<void> {
    await tab.context().addCookies(whose)
    await tab.goto(scene.at(path))
  }
})
