import { isLoopbackHost } from '../../platform/loopback.ts'
import type { Config } from '../config.ts'
import { type Finding, ok, warning } from './finding.ts'

const CHECK = 'way to database'

/** As postgres.js takes them: every other value encrypts, and lets Node verify the certificate and its name. */
const OPEN: ReadonlySet<string> = new Set(['', 'disable', 'false', 'prefer'])
const BELIEVING: ReadonlySet<string> = new Set(['require', 'allow'])

/** Whoever stands between us and a database on another machine could read and change everything, unless the server proves who it is. */
export function checkDatabaseWay({ databaseUrl }: Pick<Config, 'databaseUrl'>): Finding[] {
  const parts = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(databaseUrl ?? '')
  const hosts = (parts?.[1] ?? '').split(',').map((host) => host.replace(/:\d+$/, ''))
  // A socket of this machine has its path in the place of the host, encoded.
  if (hosts.every((host) => host === '' || /^%2f/i.test(host) || isLoopbackHost(host))) return []
  const mode = encryption(parts?.[2] ?? '')
  if (!OPEN.has(mode) && !BELIEVING.has(mode)) return [ok(CHECK, 'encrypted, and the server has to prove its name')]
  const says = BELIEVING.has(mode)
    ? `it is encrypted, but any server is believed (sslmode=${mode})`
    : 'nothing in DATABASE_URL makes it encrypted'
  return [
    warning(
      CHECK,
      `the database is on another machine, and ${says}`,
      'Put ?sslmode=verify-full at its end; NODE_EXTRA_CA_CERTS names the file of a certificate authority of your own.',
    ),
  ]
}

/** Of a setting that is given twice the last one counts. */
function encryption(search: string): string {
  const query = new Map(new URLSearchParams(search))
  if (query.get('sslrootcert') === 'system') return 'verify-full'
  return query.get('sslmode') || query.get('ssl') || ''
}
