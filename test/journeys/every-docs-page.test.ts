import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startHandover, type TestHandover } from '../harness/handover.ts'
import { assertPageIsSound, PAGE_IS_SOUND, type PageForPeople } from '../harness/sound-page.ts'

describe('every kind of page of the documentation', { skip: browserMissing }, () => {
  let service: TestHandover
  let browser: Browser
  before(async () => {
    service = await startHandover()
    browser = await openBrowser()
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })

  const at = (title: string, path: string): PageForPeople => ({ title, open: (page) => page.goto(service.url + path) })
  const pages: Record<string, PageForPeople> = {
    'the first one': at('Documentation', '/docs'),
    'one with a picture, code and a table': at('Authorization code', '/docs/flows/authorization-code'),
    'the reference': at('Platform API reference', '/docs/reference/platform'),
    'none, with what may have been meant': { ...at('Not found', '/docs/webhook'), refused: true },
    'what was found, and the list of all pages opened on a phone': {
      title: 'Search',
      open: async (page) => {
        await page.goto(`${service.url}/docs/search?q=secret`)
        await page.getByText('All pages', { exact: true }).click()
      },
    },
  }
  for (const [name, page] of Object.entries(pages)) {
    test(`${name}: ${PAGE_IS_SOUND}`, () => assertPageIsSound(browser, page))
  }
})
