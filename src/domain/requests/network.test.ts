import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network.ts'

test('of an address only the network is kept', () => {
  const cases: Array<[string, string]> = [
    ['203.0.113.77', '203.0.113.0/24'],
    ['127.0.0.1', '127.0.0.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1234:5678:9abc:def0:1234:5678', '2001:db8:1234::/48'],
    ['2001:DB8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['not an address', ''],
    ['', ''],
  ]
  for (const [address, network] of cases) assert.equal(networkOf(address), network, address)
})
