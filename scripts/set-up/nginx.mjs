import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { onPath, root, run, say } from './run.mjs'

const place = join(root, 'node_modules', '.cache', 'handover', 'nginx')

/**
 * The program alone, half a megabyte, for the test of our proxy. Not installed: that would start a server on this machine.
 * Where it cannot be had the test has a stand-in, and says so.
 */
export async function prepareNginx() {
  if (onPath('nginx') || existsSync('/usr/sbin/nginx') || existsSync(join(place, 'usr', 'sbin', 'nginx'))) return
  if (!onPath('apt-get') || !onPath('dpkg-deb')) return
  say('fetching nginx for the test of the proxy (apt-get download) …')
  const unpack = 'mkdir -p "$0" && cd "$0" && apt-get -q download nginx && dpkg-deb -x nginx_*.deb . && rm nginx_*.deb'
  const { ok } = await run('sh', ['-c', unpack, place])
  if (!ok) say('nginx could not be fetched; a stand-in takes its place in the test of the proxy')
}
