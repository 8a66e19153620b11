import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = import.meta.dirname

/** Peers are no part of the service, so they are installed here, and only for who measures. */
export function installPeers(): void {
  if (existsSync(join(FOLDER, 'node_modules/oidc-provider'))) return
  console.log('installing the peers in bench/ (once) …')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER, stdio: 'inherit' })
}
