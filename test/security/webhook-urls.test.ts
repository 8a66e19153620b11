import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newApplication } from '../../src/domain/applications/application.ts'
import { insertApplication, insertApplicationSecret } from '../../src/domain/applications/application-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { newOpaqueSecret } from '../../src/platform/opaque-secret.ts'
import { postForm, textOf } from '../harness/answer.ts'
import { type Api, apiAt, assertFaults, webhookIn } from '../harness/api-client.ts'
import { HOOK_URL, startApiScene, USER_HOOK } from '../harness/api-scene.ts'
import { startDeployed } from '../harness/deployed.ts'
import { PRODUCTION } from '../harness/token-scene.ts'

// As an operator runs it: in demo mode loopback is allowed, so that nothing would be proven there.
const deployed = await startDeployed()
after(deployed.stop)
const api = await deployedApi()
const webhook = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)

/** On create and on PATCH: the rules are the same, and what is refused changes nothing. */
async function assertRefused(url: string, reason: RegExp): Promise<void> {
  for (const answer of [
    await api.post('/webhooks/user', { ...USER_HOOK, url }),
    await api.patch(`/webhooks/user/${webhook.id}`, { url, events: ['all'] }),
  ]) {
    const [fault] = assertFaults(answer, '/url url_refused')
    assert.match(fault?.message ?? '', reason)
  }
  assert.deepEqual(webhookIn(await api.get(`/webhooks/user/${webhook.id}`)), webhook)
}

const shapes: Array<[string, RegExp]> = [
  ['http://partner.example/hook', /must begin with https:\/\//],
  ['http://localhost/hook', /must begin with https/],
  ['http://127.0.0.1:8080/hook', /must begin with https/],
  ['ftp://partner.example/', /must begin with https/],
  ['partner.example/hook', /must begin with https/],
  ['//partner.example/hook', /must begin with https/],
  ['javascript:alert(1)', /must begin with https/],
  ['https://user:password@partner.example/', /user name or password/],
  ['https://user@partner.example/', /user name or password/],
  ['https://@partner.example/', /user name or password/],
  ['https://partner.example@127.0.0.1/', /user name or password/],
  ['https://partner.example/#fragment', /fragment/],
  ['https://partner.example/#', /fragment/],
  ['https://partner.example:0/', /Port 0/],
  ['https://partner.example:65536/', /not a URL/],
  ['https:// partner.example/', /space/],
  ['https://partner.example/\n', /line break/],
  ['https:\\\\partner.example\\', /backslash/],
  ['https://localhost/', /local network/],
  ['https://LOCALHOST:8443/', /local network/],
  ['https://localhost./', /ends with a dot/],
  ['https://app.localhost/', /local network/],
  ['https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/', /local network/],
  ['https://metadata.google.internal/', /local network/],
  ['https://printer.local/', /local network/],
  ['https://intranet/', /no domain/],
  ['https://partner.example./', /ends with a dot/],
  [`https://partner.example/${'ä'.repeat(1_000)}`, /too long.*counted after encoding/],
]

/** One machine in every way in which somebody could write it. */
const addresses: Array<[reason: RegExp, ...hosts: string[]]> = [
  [
    /loopback/,
    '127.0.0.1',
    '127.255.255.254',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7F.1',
    '127.1',
    '0177.0.0.1',
  ],
  [/loopback/, '127.0.0.1.', '１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]'],
  [
    /private/,
    '10.0.0.1',
    '167772161',
    '0xa.1',
    '012.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '0xc0a80101',
  ],
  [/carrier-grade NAT/, '100.64.0.1', '100.127.255.255'],
  [/link-local/, '169.254.1.1', '[fe80::1]'],
  [/metadata/, '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.16689662', '[fd00:ec2::254]'],
  [/metadata/, '168.63.129.16', '2822734096', '100.100.100.200', '0x646464c8'],
  [/this network/, '0.0.0.0', '0', '0x0', '0.1.2.3'],
  [/broadcast/, '255.255.255.255', '4294967295'],
  [/multicast/, '224.0.0.1', '239.255.255.255', '[ff02::1]'],
  [
    /reserved/,
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '[2001:db8::1]',
    '[100::1]',
  ],
  [/unspecified/, '[::]'],
  [/IPv4-mapped/, '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:8.8.8.8]', '[0:0:0:0:0:ffff:a9fe:a9fe]'],
  [/IPv4-compatible/, '[::127.0.0.1]', '[::7f00:1]', '[::8.8.8.8]'],
  [/NAT64/, '[64:ff9b::127.0.0.1]', '[64:ff9b::808:808]', '[64:ff9b:1::a9fe:a9fe]'],
  [/6to4/, '[2002:7f00:1::]', '[2002:808:808::1]'],
  [/Teredo/, '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
  [/private/, '[fc00::1]', '[fd12:3456::1]'],
  [/site-local/, '[fec0::1]'],
  [/not a global unicast/, '[4000::1]'],
]

test('422 for each shape that a URL may not have, with the reason', async () => {
  for (const [url, reason] of shapes) await assertRefused(url, reason)
})

test('422 for 2,049 characters', async () => {
  const url = `https://partner.example/${'x'.repeat(2025)}`
  assertFaults(await api.post('/webhooks/user', { ...USER_HOOK, url }), '/url too_long')
})

for (const [reason, ...hosts] of addresses) {
  test(`422 for an address that is ${reason.source}: ${hosts.join(' ')}`, async () => {
    for (const host of hosts) await assertRefused(`https://${host}/hook`, reason)
  })
}

test('422 for an address whatever the port, path and query', async () => {
  for (const rest of [':443/', ':8443/x', '/x?y=https://partner.example', '?x', ''])
    await assertRefused(`https://10.0.0.1${rest}`, /private/)
})

const taken: Array<[string, string]> = [
  ['https://partner.example', 'https://partner.example/'],
  ['HTTPS://Partner.EXAMPLE:443/Hook?a=1&b=%20', 'https://partner.example/Hook?a=1&b=%20'],
  ['https://partner.example:8443/hook', 'https://partner.example:8443/hook'],
  ['https://bücher.example/straße', 'https://xn--bcher-kva.example/stra%C3%9Fe'],
  ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example/'],
  ['https://пример.испытание/', 'https://xn--e1afmkfd.xn--80akhbyknj4f/'],
  ['https://ｐａｒｔｎｅｒ.example/', 'https://partner.example/'],
  ['https://8.8.8.8/hook', 'https://8.8.8.8/hook'],
  ['https://[2606:4700:4700::1111]/hook', 'https://[2606:4700:4700::1111]/hook'],
  [`https://partner.example/${'x'.repeat(2024)}`, `https://partner.example/${'x'.repeat(2024)}`],
]
test('201 and 200 for a host on the internet; an international name as DNS knows it', async () => {
  for (const [url, href] of taken) {
    assert.equal(webhookIn(await api.post('/webhooks/user', { ...USER_HOOK, url }), 201).url, href)
    const { id } = webhookIn(await api.post('/webhooks/user', USER_HOOK), 201)
    assert.equal(webhookIn(await api.patch(`/webhooks/user/${id}`, { url })).url, href)
    assert.equal(webhookIn(await api.get(`/webhooks/user/${id}`)).url, href)
  }
})

test('in demo mode http is taken for loopback, and for nothing else', async () => {
  const demo = await startApiScene()
  try {
    const here = await demo.appApi(await demo.integrator())
    for (const url of [
      'http://localhost:4400/hook',
      'http://127.0.0.1:4400/hook',
      'http://[::1]:4400/hook',
      'https://localhost/',
    ])
      assert.equal(webhookIn(await here.post('/webhooks/user', { ...USER_HOOK, url }), 201).url, url)
    for (const url of ['http://partner.example/', 'https://10.0.0.1/', 'https://169.254.169.254/', 'http://0.0.0.0/'])
      assertFaults(await here.post('/webhooks/user', { ...USER_HOOK, url }), '/url url_refused')
    webhookIn(await here.post('/webhooks/user', { ...USER_HOOK, url: HOOK_URL }), 201)
  } finally {
    await demo.service.stop()
  }
})

async function deployedApi(): Promise<Api> {
  const { db } = deployed.database
  const application = newApplication({
    id: newId('app'),
    name: 'Test',
    type: 'machine',
    clientCredentials: true,
    // Some hundred URLs are tried, each three times.
    apiRatePerSecond: 10_000,
    apiRateBurst: 10_000,
  })
  await insertApplication(db, application)
  const secret = newOpaqueSecret()
  await insertApplicationSecret(db, application.id, 'test', secret)
  const granted = await postForm(`${deployed.url}/oidc/oauth/token`, {
    grant_type: 'client_credentials',
    client_id: application.id,
    client_secret: secret,
    audience: PRODUCTION,
  })
  return apiAt(deployed.url, textOf(granted, 'access_token'))
}
