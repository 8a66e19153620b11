import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { brokenWords } from './broken-words.ts'

const AXE = fileURLToPath(import.meta.resolve('axe-core').replace(/axe\.js$/, 'axe.min.js'))
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
/** What the rules ask for: in the dark everything but the colours is as in the light, where all of them were asked. */
const ASKED = {
  light: { type: 'tag', values: TAGS },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const

/** One page for people: how to get there, and what it is called. `refused` is a page whose status is an error. */
export type PageForPeople = { title: string; open: (page: Page) => Promise<unknown>; refused?: true }

/** What is asked of every page, in words. */
export const PAGE_IS_SOUND =
  'axe finds nothing in light and dark, 390 and 1280 px; no word breaks, no script but ours, no complaint in the console'

export async function assertPageIsSound(browser: Browser, { title, open, refused }: PageForPeople): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
  context.setDefaultTimeout(20_000)
  try {
    const page = await context.newPage()
    const complaints: string[] = []
    const scripts: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.url())
    })
    await open(page)
    // A page that a click led to may have only begun.
    await page.waitForLoadState()
    assert.equal(await page.title(), `${title} · Handover`)
    if (!refused) assert.deepEqual(complaints, [])
    for (const url of scripts) assert.equal(new URL(url).pathname, '/public/site.js')
    assert.equal(await page.locator('script:not([src])').count(), 0)
    await page.evaluate(await readFile(AXE, 'utf8'))
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [390, 1_280]) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        assert.deepEqual(await violations(page, colorScheme), [], `${colorScheme}, ${width} px`)
        const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
        assert.ok(overflow <= 0, `${overflow} px stick out at ${width} px`)
        if (colorScheme === 'light') assert.deepEqual(await brokenWords(page), [], `words break at ${width} px`)
      }
    }
  } finally {
    await context.close()
  }
}

async function violations(page: Page, colorScheme: keyof typeof ASKED): Promise<unknown> {
  return page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(ASKED[colorScheme])}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  )
}
