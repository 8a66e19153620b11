import { spawn } from 'node:child_process'
import { isLoopbackUrl } from '../platform/loopback.ts'

/** Tries to, where there is a screen; the address is printed anyway. Only what is a web address is handed to the system. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const isWeb = URL.canParse(url) && (url.startsWith('https://') || (url.startsWith('http://') && isLoopbackUrl(url)))
  const isRemote = Boolean(env['SSH_CONNECTION'])
  const opener = process.platform === 'darwin' ? 'open' : env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : null
  if (!isWeb || isRemote || opener === null) return
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
