import { installFromDebian, mayInstall } from './debian.mjs'
import { onPath, say } from './run.mjs'

/** The browser tests say themselves that they lack a browser, so nothing here is a failure. */
export async function prepareChromium() {
  if (['chromium', 'chromium-browser', 'google-chrome'].some(onPath)) return
  if (!mayInstall()) {
    say('no Chromium found, the browser tests need one; install it (Debian: sudo apt-get install chromium)')
    return
  }
  say('installing Chromium for the browser tests (apt-get) …')
  const reason = await installFromDebian(['chromium'])
  if (reason !== '') say(`Chromium could not be installed (${reason}); the browser tests need it`)
}
