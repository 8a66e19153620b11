import { isIPv4, isIPv6 } from 'node:net'

/**
 * Enough of an address to tell one's own servers from strangers, and too little to tell people apart: applications without a
 * back end call from the devices of nurses.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return networkOf(mapped)
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  if (isIPv6(address)) return `${firstGroups(address).join(':')}::/48`
  return ''
}

/** The first three groups of 16 bits; `::` stands for as many zeros as are missing. */
function firstGroups(address: string): string[] {
  const [head = '', tail] = address.split('%', 1).join('').split('::', 2)
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const groups = tail === undefined ? before : [...before, ...zeros, ...after]
  return groups.slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16))
}
