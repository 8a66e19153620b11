import { delimiter } from 'node:path'
import { onPath, run, say, searchPath } from './run.mjs'

/** The browser tests say themselves that they lack a browser, so nothing here is a failure. */
export async function prepareChromium() {
  if (['chromium', 'chromium-browser', 'google-chrome'].some(onPath)) return
  const mayInstall = process.getuid && process.getuid() === 0 && onPath('apt-get')
  if (!mayInstall) {
    say('no Chromium found, the browser tests need one; install it (Debian: sudo apt-get install chromium)')
    return
  }
  say('installing Chromium for the browser tests (apt-get) …')
  const env = { DEBIAN_FRONTEND: 'noninteractive', PATH: [...searchPath, '/usr/sbin', '/sbin'].join(delimiter) }
  const install = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300', '--no-install-recommends', 'install', 'chromium']
  let result = await run('apt-get', install, { env })
  if (!result.ok) {
    // No package lists yet, or lists so old that the archive has moved on.
    await run('apt-get', ['-q', 'update'], { env })
    result = await run('apt-get', install, { env })
  }
  if (result.ok) return
  const reason = result.output.split('\n').find((line) => line.startsWith('E:')) || 'apt-get failed'
  say(`Chromium could not be installed (${reason}); the browser tests need it`)
}
