import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = import.meta.dirname

/** Peers are no part of the service, so they are installed here, and only for who measures. */
export function installPeers(): void {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(FOLDER, 'package.json'), 'utf8'),
  )
  if (Object.entries(dependencies).every(([name, version]) => isInstalled(name, version))) return
  console.log('installing the peers in bench/ (once) …')
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER, stdio: 'inherit' })
}

/** In the version that is asked for: a folder of an earlier run may have another. */
function isInstalled(name: string, version: string): boolean {
  const file = join(FOLDER, 'node_modules', name, 'package.json')
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
}
