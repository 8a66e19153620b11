import { isLoopbackHost } from '../../platform/loopback.ts'
import type { Config } from '../config.ts'
import { type Finding, ok, warning } from './finding.ts'

const CHECK = 'way to database'

/** Whoever stands between us and a database on another machine could read and change everything, unless the server proves who it is. */
export function checkDatabaseWay({ databaseUrl }: Pick<Config, 'databaseUrl'>): Finding[] {
  const parts = /^[a-z]+:\/\/(?:[^@/]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(databaseUrl ?? '')
  const hosts = (parts?.[1] ?? '').split(',').map((host) => host.replace(/:\d+$/, ''))
  // A socket of this machine has its path in the place of the host, encoded.
  if (hosts.every((host) => host === '' || host.startsWith('%2F') || isLoopbackHost(host))) return []
  const query = new URLSearchParams(parts?.[2] ?? '')
  const mode = query.get('sslrootcert') === 'system' ? 'verify-full' : (query.get('sslmode') ?? query.get('ssl'))
  if (mode === 'verify-full') return [ok(CHECK, 'encrypted, and the server has to prove its name')]
  const says =
    mode === 'require'
      ? 'it is encrypted, but any server is believed (sslmode=require)'
      : 'nothing in DATABASE_URL makes it encrypted'
  return [
    warning(
      CHECK,
      `the database is on another machine, and ${says}`,
      'Put ?sslmode=verify-full at its end; NODE_EXTRA_CA_CERTS names the file of a certificate authority of your own.',
    ),
  ]
}
