import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalOf } from './global-address.ts'

/** First and last of a range, the neighbours outside it that are global (null: the neighbour is refused too), and the word. */
type Range = [first: string, last: string, before: string | null, behind: string | null, word: RegExp]

const ipv4: Range[] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0', /this network/],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0', /private/],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0', /private/],
  ['100.100.100.200', '100.100.100.200', null, null, /metadata/],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0', /loopback/],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17', /metadata/],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0', /link-local/],
  ['169.254.169.254', '169.254.169.254', null, null, /metadata/],
  ['169.254.170.2', '169.254.170.2', null, null, /metadata/],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0', /private/],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0', /protocols/],
  ['192.0.0.192', '192.0.0.192', null, null, /metadata/],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0', /documentation/],
  ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0', /AS112/],
  ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0', /multicast tunnels/],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0', /6to4/],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0', /private/],
  ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0', /AS112/],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0', /benchmarks/],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0', /documentation/],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0', /documentation/],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', null, /multicast/],
  ['240.0.0.0', '255.255.255.254', null, null, /reserved/],
  ['255.255.255.255', '255.255.255.255', null, null, /broadcast/],
]

const f = 'ffff:ffff:ffff'
const ipv6: Range[] = [
  ['::', '::', null, null, /unspecified/],
  ['::1', '::1', null, null, /loopback/],
  ['::2', '::ffff:ffff', null, null, /IPv4-compatible/],
  ['::ffff:0:0', '::ffff:ffff:ffff', null, null, /IPv4-mapped/],
  ['64:ff9b::', '64:ff9b::ffff:ffff', null, null, /NAT64/],
  ['64:ff9b:1::', `64:ff9b:1:ffff:ffff:${f}`, null, null, /NAT64/],
  ['100::', '100::ffff:ffff:ffff:ffff', null, null, /discarding/],
  ['101::', `1fff:ffff:ffff:ffff:ffff:${f}`, null, '2000::', /not a global unicast/],
  ['2001::', `2001:0:ffff:ffff:ffff:${f}`, `2000:ffff:ffff:ffff:ffff:${f}`, null, /Teredo/],
  ['2001:1::', `2001:1ff:ffff:ffff:ffff:${f}`, null, '2001:200::', /protocols/],
  ['2001:db8::', `2001:db8:ffff:ffff:ffff:${f}`, `2001:db7:ffff:ffff:ffff:${f}`, '2001:db9::', /documentation/],
  ['2002::', `2002:ffff:ffff:ffff:ffff:${f}`, `2001:ffff:ffff:ffff:ffff:${f}`, '2003::', /6to4/],
  ['2620:4f:8000::', `2620:4f:8000:ffff:ffff:${f}`, `2620:4f:7fff:ffff:ffff:${f}`, '2620:4f:8001::', /AS112/],
  ['3fff::', `3fff:fff:ffff:ffff:ffff:${f}`, `3ffe:ffff:ffff:ffff:ffff:${f}`, '3fff:1000::', /documentation/],
  ['4000::', `5eff:ffff:ffff:ffff:ffff:${f}`, `3fff:ffff:ffff:ffff:ffff:${f}`, null, /not a global unicast/],
  ['5f00::', `5f00:ffff:ffff:ffff:ffff:${f}`, null, null, /segment routing/],
  ['6000::', `fbff:ffff:ffff:ffff:ffff:${f}`, null, null, /not a global unicast/],
  ['fc00::', `fdff:ffff:ffff:ffff:ffff:${f}`, null, null, /private/],
  ['fd00:ec2::254', 'fd00:ec2::254', null, null, /metadata/],
  ['fd20:ce::254', 'fd20:ce::254', null, null, /metadata/],
  ['fe00::', `fe7f:ffff:ffff:ffff:ffff:${f}`, null, null, /not a global unicast/],
  ['fe80::', `febf:ffff:ffff:ffff:ffff:${f}`, null, null, /link-local/],
  ['fec0::', `feff:ffff:ffff:ffff:ffff:${f}`, null, null, /site-local/],
  ['ff00::', `ffff:ffff:ffff:ffff:ffff:${f}`, null, null, /multicast/],
]

for (const [first, last, before, behind, word] of [...ipv4, ...ipv6]) {
  test(`${first} to ${last} is refused, and what lies just outside is judged by itself`, () => {
    assert.match(refusalOf(first) ?? 'allowed', word)
    assert.match(refusalOf(last) ?? 'allowed', word)
    if (before !== null) assert.equal(refusalOf(before), null, before)
    if (behind !== null) assert.equal(refusalOf(behind), null, behind)
  })
}

test('addresses of well-known public machines are global', () => {
  for (const address of ['1.1.1.1', '8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:80b::200e'])
    assert.equal(refusalOf(address), null, address)
})

test('every spelling of an IPv6 address is the same address', () => {
  for (const address of ['::0001', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0.0.0.1'])
    assert.equal(refusalOf(address), 'is a loopback address', address)
  for (const address of ['::ffff:8.8.8.8', '::FFFF:808:808', '0:0:0:0:0:ffff:8.8.8.8', '::ffff:127.0.0.1'])
    assert.match(refusalOf(address) ?? '', /IPv4-mapped/, address)
  assert.match(refusalOf('FE80::1') ?? '', /link-local/)
})

test('what is not an address, or has a zone, is refused', () => {
  const odd = [
    '',
    ' ',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '0177.0.0.1',
    '01.1.1.1',
    '1.1.1.256',
    '1.1.1.1.1',
  ]
  const odder = [
    '1.1.1.1 ',
    ' 1.1.1.1',
    '1.1.1.1\0',
    '１.1.1.1',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    '2606:4700::1%',
    '::1/128',
  ]
  for (const address of [...odd, ...odder, '2606::4700::1', '1:2:3:4:5:6:7:8:9', 'fe80::1%lo', '::g'])
    assert.equal(refusalOf(address), 'is not an IP address', JSON.stringify(address))
})

/** Arithmetic of its own, as a judge of the table and of BlockList: every first and second byte of IPv4. */
test('of all IPv4 networks of 16 bits, those are refused that the registry names', () => {
  for (let a = 0; a < 256; a++)
    for (let b = 0; b < 256; b++) {
      const special =
        a === 0 || a === 10 || a === 127 || a >= 224 || (a === 100 && b >= 64 && b < 128) || (a === 169 && b === 254)
      const privately =
        (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 198 && (b === 18 || b === 19))
      assert.equal(refusalOf(`${a}.${b}.77.7`) !== null, special || privately, `${a}.${b}.77.7`)
    }
})
