import { delimiter } from 'node:path'
import { onPath, run, searchPath } from './run.mjs'

/** Whether we may install packages of Debian here. */
export function mayInstall() {
  return Boolean(process.getuid && process.getuid() === 0 && onPath('apt-get'))
}

/**
 * Why they could not be installed; empty when they are.
 * @param {string[]} packages
 */
export async function installFromDebian(packages) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', PATH: [...searchPath, '/usr/sbin', '/sbin'].join(delimiter) }
  const install = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=300', '--no-install-recommends', 'install', ...packages]
  let result = await run('apt-get', install, { env })
  if (!result.ok) {
    // No package lists yet, or lists so old that the archive has moved on.
    await run('apt-get', ['-q', 'update'], { env })
    result = await run('apt-get', install, { env })
  }
  if (result.ok) return ''
  return result.output.split('\n').find((line) => line.startsWith('E:')) || 'apt-get failed'
}
