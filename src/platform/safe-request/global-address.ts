import { BlockList, isIP } from 'node:net'

type Rule = [network: string, bits: number, reason: string]

/**
 * IANA's special-purpose registry, and the machines of cloud providers that hand out credentials to whoever asks. The first
 * rule that matches names the reason, so the narrow ones come first.
 */
const REFUSED_IPV4: readonly Rule[] = [
  ['169.254.169.254', 32, 'is a cloud metadata address'],
  ['169.254.170.2', 32, 'is a cloud metadata address'],
  ['168.63.129.16', 32, 'is a cloud metadata address'],
  ['100.100.100.200', 32, 'is a cloud metadata address'],
  ['192.0.0.192', 32, 'is a cloud metadata address'],
  ['0.0.0.0', 8, 'is an address of this network itself'],
  ['10.0.0.0', 8, 'is a private address'],
  ['100.64.0.0', 10, 'is a private address behind carrier-grade NAT'],
  ['127.0.0.0', 8, 'is a loopback address'],
  ['169.254.0.0', 16, 'is a link-local address'],
  ['172.16.0.0', 12, 'is a private address'],
  ['192.0.0.0', 24, 'is reserved for protocols'],
  ['192.0.2.0', 24, 'is reserved for documentation'],
  ['192.31.196.0', 24, 'is reserved for AS112'],
  ['192.52.193.0', 24, 'is reserved for multicast tunnels'],
  ['192.88.99.0', 24, 'is reserved for 6to4 relays'],
  ['192.168.0.0', 16, 'is a private address'],
  ['192.175.48.0', 24, 'is reserved for AS112'],
  ['198.18.0.0', 15, 'is reserved for benchmarks'],
  ['198.51.100.0', 24, 'is reserved for documentation'],
  ['203.0.113.0', 24, 'is reserved for documentation'],
  ['224.0.0.0', 4, 'is a multicast address'],
  ['255.255.255.255', 32, 'is the broadcast address'],
  ['240.0.0.0', 4, 'is reserved'],
]

/** Within 2000::/3 these are exceptions; outside it they only name the reason, because all of that is refused. */
const REFUSED_IPV6: readonly Rule[] = [
  ['fd00:ec2::254', 128, 'is a cloud metadata address'],
  ['fd20:ce::254', 128, 'is a cloud metadata address'],
  ['2001::', 32, 'is a Teredo address, which hides an IPv4 address'],
  ['2001::', 23, 'is reserved for protocols'],
  ['2001:db8::', 32, 'is reserved for documentation'],
  ['2002::', 16, 'is a 6to4 address, which hides an IPv4 address'],
  ['2620:4f:8000::', 48, 'is reserved for AS112'],
  ['3fff::', 20, 'is reserved for documentation'],
  ['::', 128, 'is the unspecified address'],
  ['::1', 128, 'is a loopback address'],
  ['::', 96, 'is an IPv4-compatible address, which hides an IPv4 address'],
  ['::ffff:0:0', 96, 'is an IPv4-mapped address, which hides an IPv4 address'],
  ['64:ff9b::', 96, 'is a NAT64 address, which hides an IPv4 address'],
  ['64:ff9b:1::', 48, 'is a NAT64 address, which hides an IPv4 address'],
  ['100::', 64, 'is reserved for discarding packets'],
  ['5f00::', 16, 'is reserved for segment routing'],
  ['fc00::', 7, 'is a private address'],
  ['fe80::', 10, 'is a link-local address'],
  ['fec0::', 10, 'is a site-local address'],
  ['ff00::', 8, 'is a multicast address'],
]

// Families are kept apart: a BlockList also matches IPv4 addresses against ::ffff:0:0/96, which would refuse them all.
const refusedIpv4 = REFUSED_IPV4.map(([network, bits, reason]) => ({ list: listOf(network, bits, 'ipv4'), reason }))
const refusedIpv6 = REFUSED_IPV6.map(([network, bits, reason]) => ({ list: listOf(network, bits, 'ipv6'), reason }))
const globalUnicast = listOf('2000::', 3, 'ipv6')

/** Why an address is not global unicast, to be put behind it ("… is a private address"), or null when it is. */
export function refusalOf(address: string): string | null {
  // isIP lets zones pass, and an address with a zone is never global.
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 4) return refusedIpv4.find(({ list }) => list.check(address, 'ipv4'))?.reason ?? null
  if (family !== 6) return 'is not an IP address'
  const refusal = refusedIpv6.find(({ list }) => list.check(address, 'ipv6'))
  if (refusal !== undefined) return refusal.reason
  return globalUnicast.check(address, 'ipv6') ? null : 'is not a global unicast address'
}

function listOf(network: string, bits: number, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  list.addSubnet(network, bits, family)
  return list
}
