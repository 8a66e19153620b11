import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { browserMissing, openBrowser } from '../harness/browser.ts'
import { assertPageIsSound } from '../harness/sound-page.ts'

/** What every page is held to is seen to fail on planted faults. */
describe('a page that is not sound', { skip: browserMissing }, () => {
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  const planted = (style: string, main = '<h1>Planted</h1><p>Some words.</p>') =>
    assertPageIsSound(browser, {
      title: 'Planted',
      open: (page) =>
        page.setContent(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Planted · Handover</title>
<style>body { background: white; color: black } ${style}</style></head><body><main>${main}</main></body></html>`),
    })

  test('one without a fault passes', () => planted(''))

  test('words that cannot be read in the dark', () =>
    assert.rejects(
      planted('@media (prefers-color-scheme: dark) { p { color: #eee } }'),
      /dark, 390 px.*color-contrast/s,
    ))

  test('words that cannot be read in the light', () =>
    assert.rejects(
      planted('@media (prefers-color-scheme: light) { p { color: #eee } }'),
      /light, 390 px.*color-contrast/s,
    ))

  test('a field without a label', () => assert.rejects(planted('', '<h1>Planted</h1><input>'), /light, 390 px/))

  test('something that sticks out on a telephone', () =>
    assert.rejects(planted('p { width: 500px }'), /stick out at 390 px/))

  test('a heading with a word that its button leaves no room for', () =>
    assert.rejects(planted('h1 { width: 3ch; overflow-wrap: anywhere }'), /words break at 390 px.*Planted, on/s))

  test('a text that is squeezed into a column', () =>
    assert.rejects(planted('p { width: 1ch; overflow-wrap: anywhere }'), /words break at 390 px.*words\., on 6 lines/s))
})
