import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a browser is, or why journeys cannot run on this machine. */
export const BROWSER_PATH = PLACES.find((place) => existsSync(place))
export const browserMissing = BROWSER_PATH === undefined && 'no Chromium here: apt-get install chromium'

export async function openBrowser(): Promise<Browser> {
  if (BROWSER_PATH === undefined) throw new Error('No Chromium on this machine')
  return chromium.launch({
    executablePath: BROWSER_PATH,
    args: [
      // As root, and in most containers, the sandbox of Chromium cannot be set up; it visits only our own loopback pages.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
