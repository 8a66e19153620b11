import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { startHandover } from '../harness/handover.ts'

describe('a newcomer opens the address of the banner', { skip: browserMissing }, () => {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      test(`the front page and an unknown page, ${scheme}, ${width} px wide`, async () => {
        const service = await startHandover()
        const browser = await openBrowser()
        try {
          const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } })
          const page = await context.newPage()
          const complaints: string[] = []
          page.on('console', (message) => complaints.push(message.text()))
          page.on('requestfailed', (request) => complaints.push(request.url()))

          await page.goto(service.url)
          assert.equal(await page.locator('h1').textContent(), 'Identity and webhooks for partners')
          assert.ok(await page.getByText(`${service.url}/oidc`, { exact: true }).isVisible())
          const colour = await page.evaluate('getComputedStyle(document.body).backgroundColor')
          assert.equal(
            colour,
            scheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(16, 22, 29)',
            'the style sheet is in force',
          )
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          )
          assert.equal(overflow, 0, 'nothing sticks out')
          assert.deepEqual(complaints, [])

          const answer = await page.goto(`${service.url}/portal/nothing`)
          assert.equal(answer?.status(), 404)
          assert.ok(await page.getByText(String(answer?.headers()['x-request-id'])).isVisible())
        } finally {
          await browser.close()
          await service.stop()
        }
      })
    }
  }
})
