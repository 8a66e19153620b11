import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { commandLineCalls } from '../harness/command-line-scene.ts'
import { startPortalScene } from '../harness/portal-scene.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every page of the command line', { skip: browserMissing }, async () => {
  const scene = await startPortalScene()
  const { db } = scene
  const calls = commandLineCalls(scene)
  const ann = await scene.colleague('Ann Lee')
  const reader = await scene.colleague('Eve Reader')
  const team = await scene.team('Rota Partners', [
    [ann, 'owner'],
    [reader, 'read-only'],
  ])
  const empty = await scene.team('Nothing yet', [[ann, 'owner']])
  const long = 'x'.repeat(60)
  const { application } = await scene.application(team)
  const { application: unused } = await scene.application(team, { name: long, type: 'machine' })
  await db`
    insert into command_line_keys (id, application_id, integrator_id, key_hash, name, expires_at, last_used_at)
    values ('clk_1', ${application}, ${ann.id}, '\\x01', 'anns-laptop', now() + interval '80 days', now()),
           ('clk_2', ${application}, ${ann.id}, '\\x02', ${long}, now() + interval '90 days', null)`
  const login = await calls.begin('anns-laptop')
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

  const at = `/teams/${team}/command-line`
  const keys = `/teams/${team}/applications/${application}/command-line`
  const titled = (title: string, name = 'Shift planner') => `${title} · ${name}`
  const pages: Record<string, PageForPeople> = {
    'which login': { title: 'Command line', open: (tab) => own(tab, at) },
    'which login, unknown': { title: 'Command line', open: (tab) => own(tab, `${at}?code=BBBB-BBBB`), refused: true },
    'no team that may': {
      title: 'Command line',
      open: (tab) => own(tab, `/command-line?code=${login.code}`, cookies.readers),
    },
    allow: { title: 'Allow a command line', open: (tab) => own(tab, `${at}?code=${login.code}`) },
    'allow, nothing chosen': {
      title: 'Allow a command line',
      open: async (tab) => {
        await own(tab, `${at}?code=${login.code}`)
        await tab.getByRole('button', { name: 'Allow' }).click()
        await tab.getByRole('alert').waitFor()
      },
      refused: true,
    },
    'allow, without an application': {
      title: 'Allow a command line',
      open: (tab) => own(tab, `/teams/${empty}/command-line?code=${login.code}`),
    },
    allowed: {
      title: titled('Command line'),
      open: async (tab) => {
        const { code } = await calls.begin()
        await own(tab, `${at}?code=${code}`)
        await tab.getByLabel('Shift planner').check()
        await tab.getByRole('button', { name: 'Allow' }).click()
        await tab.getByText('Go back to your terminal').waitFor()
      },
    },
    keys: { title: titled('Command line'), open: (tab) => own(tab, keys) },
    'keys, as a reader': { title: titled('Command line'), open: (tab) => own(tab, keys, cookies.readers) },
    'keys, none': {
      title: titled('Command line', long),
      open: (tab) => own(tab, `/teams/${team}/applications/${unused}/command-line`),
    },
    revoke: { title: titled('Revoke a login'), open: (tab) => own(tab, `${keys}/clk_1/revoke`) },
  }

  async function own(tab: Page, path: string, whose = cookies.anns): Promise<void> {
    await tab.context().addCookies(whose)
    await tab.goto(scene.at(path))
  }

  for (const [name, page] of Object.entries(pages)) {
    test(`${name} ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }
})
