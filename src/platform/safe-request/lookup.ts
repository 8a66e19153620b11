import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isLoopbackHost } from '../loopback.ts'
import { refusalOf } from './global-address.ts'
import { AddressRefused, codeOf, RequestFailed } from './request-failed.ts'

/** All addresses of a name, in the order in which they are to be tried. */
export type Resolve = (name: string) => Promise<readonly string[]>

export type AddressRules = {
  resolve: Resolve
  /** Loopback addresses may be called, but only by a host that says it is loopback. */
  loopbackAllowed: boolean
  /** Stands in for "is public" where tests have no public address. */
  permit: (address: string) => boolean
}

/**
 * The addresses that may be dialled for a host, asked for once. A single refused one refuses all: an answer that mixes
 * public and private addresses is either an attack or a mistake that a retry must not paper over.
 */
export async function addressesOf(host: string, rules: AddressRules): Promise<readonly string[]> {
  const loopback = rules.loopbackAllowed && isLoopbackHost(host)
  const addresses = await found(host, loopback, rules.resolve)
  for (const address of addresses) {
    if (rules.permit(address) || (loopback && isLoopbackHost(address))) continue
    const refusal = refusalOf(address)
    if (refusal !== null) throw new AddressRefused(host, address, refusal)
  }
  return addresses
}

async function found(host: string, loopback: boolean, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  if (loopback) return ['127.0.0.1', '::1']
  let addresses: readonly string[]
  try {
    addresses = await resolve(host)
  } catch (error) {
    const code = codeOf(error) || 'no reason given'
    throw new RequestFailed('dns', `${host} could not be resolved (${code})`, { cause: error })
  }
  if (addresses.length === 0) throw new RequestFailed('dns', `${host} has no address`)
  return addresses
}

const ANSWER_PATIENCE_MS = 1_000
const TRIES = 2
const CONFIGURATION_KEPT_MS = 60_000

/**
 * Asks the name servers of this machine, without its hosts file and search domains, which are about inner networks.
 *
 * Not dns.lookup: libuv runs at most two of those at a time, so that two names with slow name servers would hold up every
 * receiver (decision D6). IPv4 comes first, because addresses are tried one after the other and broken IPv6 is silent.
 */
export function nameServers(): Resolve {
  let current = ownResolver()
  return async (name) => {
    // A resolver reads /etc/resolv.conf only when it is made.
    if (performance.now() - current.since > CONFIGURATION_KEPT_MS) current = ownResolver()
    const { resolver } = current
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = answers.find((answer) => answer.status === 'rejected')
    if (addresses.length === 0 && failed !== undefined) throw failed.reason
    return addresses
  }
}

function ownResolver(): { resolver: Resolver; since: number } {
  return { resolver: new Resolver({ timeout: ANSWER_PATIENCE_MS, tries: TRIES }), since: performance.now() }
}
