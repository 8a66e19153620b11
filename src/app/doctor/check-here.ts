import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf } from './bounded.ts'
import { fetchOutside } from './fetch-outside.ts'
import { type Finding, ok, skipped, warning } from './finding.ts'
import type { Patient } from './patient.ts'

/** Enough for the embedded server's log and a day of work. */
const LITTLE_SPACE_BYTES = 1024 ** 3
const MEGABYTE = 1024 ** 2

/** What concerns this machine and nobody else. */
export async function checkHere({ config }: Patient): Promise<Finding[]> {
  return [proxyInFront(config), await metricsPort(config), ...(await spaceLeft(config))]
}

/** We speak no TLS ourselves, so whoever is reached by https has somebody in front. */
function proxyInFront({ authUrl, trustProxy }: Patient['config']): Finding {
  const check = 'proxy in front'
  const isBehind = authUrl?.startsWith('https:') ?? false
  if (isBehind && trustProxy === false)
    return warning(
      check,
      'AUTH_URL is https, which a proxy must end, but HANDOVER_TRUST_PROXY is off: all visitors count as one address',
      'Set HANDOVER_TRUST_PROXY to how many proxies stand in front; whoever is throttled is everybody otherwise.',
    )
  if (!isBehind && trustProxy !== false)
    return warning(
      check,
      'AUTH_URL is not https, but HANDOVER_TRUST_PROXY is set: visitors can choose the address they are throttled by',
      'Set HANDOVER_TRUST_PROXY to off where nobody stands in front.',
    )
  const trusted = Array.isArray(trustProxy) ? trustProxy.join(', ') : `${trustProxy || 'none'}`
  return ok(check, `trusted to say who calls: ${trusted}`)
}

async function metricsPort({ host, metricsPort: port }: Patient['config']): Promise<Finding> {
  const check = 'metrics'
  const place = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const { status, body } = await fetchOutside(`http://${place}:${port}/metrics`)
    if (status === 200 && body.includes('handover_')) return ok(check, `port ${port} of this machine has them`)
    return warning(check, `port ${port} of this machine answers ${status}`, 'See who listens there.')
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === 'ABORT_ERR')
      return warning(check, `port ${port} of this machine does not answer`, 'See whether the process there hangs.')
    return skipped(check, `nobody answers at port ${port} of this machine (${reason}): no process runs here`)
  }
}

/** The disk of another server is its operator's to watch. */
async function spaceLeft({ databaseUrl, dataFolder }: Patient['config']): Promise<Finding[]> {
  if (databaseUrl !== null) return []
  // Below it, because that may be a link to another disk.
  const disk = await statfs(join(dataFolder, 'postgres')).catch(() => null)
  if (disk === null) return [skipped('disk', `there is no embedded database in ${dataFolder}`)]
  const left = disk.bavail * disk.bsize
  const says = `${Math.round(left / MEGABYTE)} MB left for the embedded database`
  return [
    left < LITTLE_SPACE_BYTES
      ? warning('disk', says, 'Make room: below 32 MB it stops taking writes and /readyz answers 503.')
      : ok('disk', says),
  ]
}
