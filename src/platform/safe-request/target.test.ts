import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTarget } from './target.ts'

const strict = { loopbackAllowed: false }
const demo = { loopbackAllowed: true }

/** What it is read as, or why it is refused. */
function read(url: string, rules = strict): string {
  const target = readTarget(url, rules)
  return 'url' in target ? target.url.href : target.refused
}

const accepted: Array<[string, string]> = [
  ['https://example.com', 'https://example.com/'],
  ['https://example.com/hooks/1?key=a%20b&c', 'https://example.com/hooks/1?key=a%20b&c'],
  ['HTTPS://EXAMPLE.COM/Path', 'https://example.com/Path'],
  ['https://example.com:443/', 'https://example.com/'],
  ['https://example.com:8443/', 'https://example.com:8443/'],
  ['https://example.com:/', 'https://example.com/'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
  ['https://exam%70le.com/', 'https://example.com/'],
  ['https://a_b.example.com/', 'https://a_b.example.com/'],
  ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ['https://my.notlocal/x', 'https://my.notlocal/x'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['https://134744072/', 'https://8.8.8.8/'],
  ['https://[2606:4700:4700::1111]:8443/', 'https://[2606:4700:4700::1111]:8443/'],
]
for (const [url, href] of accepted) test(`${url} is read as ${href}`, () => assert.equal(read(url), href))

const addresses: Array<[string, RegExp]> = [
  ['127.0.0.1', /loopback/],
  ['127.255.255.254', /loopback/],
  ['2130706433', /^127\.0\.0\.1 is a loopback/],
  ['017700000001', /^127\.0\.0\.1 is a loopback/],
  ['0x7f000001', /^127\.0\.0\.1 is a loopback/],
  ['0177.0.0.1', /loopback/],
  ['0x7f.1', /loopback/],
  ['127.1', /loopback/],
  ['127.0.1', /loopback/],
  ['0x7F.0x0.0x0.0x1', /loopback/],
  ['127.0.0.1.', /loopback/],
  ['１２７.０.０.１', /loopback/],
  ['127。0。0。1', /loopback/],
  ['①②⑦.⓪.⓪.①', /loopback/],
  ['%31%32%37.0.0.1', /loopback/],
  ['0', /this network/],
  ['0.0.0.0', /this network/],
  ['10.1.2.3', /private/],
  ['172.16.0.1', /private/],
  ['192.168.1.1', /private/],
  ['100.64.0.1', /private/],
  ['169.254.1.1', /link-local/],
  ['169.254.169.254', /metadata/],
  ['2852039166', /^169\.254\.169\.254 is a cloud metadata/],
  ['0xA9FEA9FE', /metadata/],
  ['0251.0376.0251.0376', /metadata/],
  ['168.63.129.16', /metadata/],
  ['100.100.100.200', /metadata/],
  ['255.255.255.255', /broadcast/],
  ['224.0.0.1', /multicast/],
  ['198.18.0.1', /benchmarks/],
  ['203.0.113.9', /documentation/],
  ['[::]', /unspecified/],
  ['[::1]', /loopback/],
  ['[0:0:0:0:0:0:0:1]', /loopback/],
  ['[::127.0.0.1]', /IPv4-compatible/],
  ['[::ffff:127.0.0.1]', /IPv4-mapped/],
  ['[::ffff:7f00:1]', /IPv4-mapped/],
  ['[::ffff:8.8.8.8]', /IPv4-mapped/],
  ['[64:ff9b::127.0.0.1]', /NAT64/],
  ['[64:ff9b:1::a9fe:a9fe]', /NAT64/],
  ['[2002:7f00:1::]', /6to4/],
  ['[2001:0:4136:e378:8000:63bf:3fff:fdd2]', /Teredo/],
  ['[2001:db8::1]', /documentation/],
  ['[fe80::1]', /link-local/],
  ['[fec0::1]', /site-local/],
  ['[fd00:ec2::254]', /metadata/],
  ['[fc00::1]', /private/],
  ['[ff02::1]', /multicast/],
  ['[4000::1]', /not a global unicast/],
]
for (const [host, reason] of addresses)
  test(`an address that is not global is refused as ${host}`, () => {
    for (const url of [`https://${host}/`, `https://${host}:8443/x?y`])
      assert.match(read(url), new RegExp(`${reason.source}.*reached from the internet`), url)
  })

const refused: Array<[string, RegExp]> = [
  ['', /begin with https/],
  ['example.com/x', /begin with https/],
  ['//example.com/', /begin with https/],
  ['https:example.com', /begin with https/],
  ['https:/example.com', /begin with https/],
  ['https:///example.com', /begin with https/],
  ['https://', /begin with https/],
  ['https://?x', /begin with https/],
  ['http://example.com/', /begin with https/],
  ['ftp://example.com/', /begin with https/],
  ['file:///etc/passwd', /begin with https/],
  ['javascript:alert(1)', /begin with https/],
  ['data:text/plain,x', /begin with https/],
  ['unix:///var/run/docker.sock', /begin with https/],
  ['https://:443/', /not a URL/],
  ['https://user@example.com/', /user name or password/],
  ['https://user:secret@example.com/', /user name or password/],
  ['https://@example.com/', /user name or password/],
  ['https://:@example.com/', /user name or password/],
  ['https://example.com@127.0.0.1/', /user name or password/],
  ['https://example.com/#top', /fragment/],
  ['https://example.com/#', /fragment/],
  ['https://example.com#@127.0.0.1/', /fragment/],
  ['https://example.com:0/', /Port 0/],
  ['https://example.com:00/', /Port 0/],
  ['https://example.com:65536/', /not a URL/],
  ['https://example.com:x/', /not a URL/],
  ['https://1.2.3.256/', /not a URL/],
  ['https://1.2.3.4.5/', /not a URL/],
  ['https://[::1%25lo]/', /not a URL/],
  ['https://[fe80::1%eth0]/', /not a URL/],
  ['https://[::1/', /not a URL/],
  ['https://exa%00mple.com/', /not a URL/],
  ['https://exa<mple.com/', /not a URL/],
  ['https://a..example.com/', /not a host name/],
  ['https://.example.com/', /not a host name/],
  ['https://exa$mple.com/', /not a host name/],
  [`https://${'a'.repeat(64)}.example.com/`, /not a host name/],
  [`https://${'a.'.repeat(126)}com/`, /not a host name/],
  ['https://example.com./', /ends with a dot/],
  ['https://localhost./', /ends with a dot/],
  ['https://localhost/', /local network/],
  ['https://LOCALHOST:8443/', /local network/],
  ['https://app.localhost/', /local network/],
  ['https://printer.local/', /local network/],
  ['https://metadata.google.internal/', /local network/],
  ['https://nas.home.arpa/', /local network/],
  ['https://internal/', /local network/],
  ['https://kubernetes/', /no domain/],
  [' https://example.com/', /space/],
  ['https://example.com/ ', /space/],
  ['https://example.com/a b', /space/],
  ['https://exam\tple.com/', /space/],
  ['https://example.com/\nx', /space/],
  ['ht\rtps://example.com/', /space/],
  ['\u0000https://example.com/', /space/],
  ['https://example.com/\u007f', /space/],
  ['https://example.com/\u0085', /space/],
  ['https:\\\\example.com\\x', /backslash/],
  ['https://example.com\\@127.0.0.1/', /backslash/],
  ['https://example.com/\ud800', /surrogate/],
  ['https://\udfff.example.com/', /surrogate/],
]
for (const [url, reason] of refused)
  test(`${JSON.stringify(url).slice(0, 80)} is refused by ${String(reason)}`, () => {
    const sentence = read(url)
    assert.match(sentence, reason)
    assert.match(sentence, /\.$/)
  })

test('2048 characters are enough, as they are written and as they are sent', () => {
  const start = 'https://example.com/'
  const full = start + 'a'.repeat(2048 - start.length)
  assert.equal(read(full), full)
  assert.match(read(`${full}a`), /too long/)
  assert.match(read(`${start}${'ä'.repeat(1000)}`), /too long/)
})

test('where loopback is allowed, only loopback is, by http and https', () => {
  const allowed = ['http://localhost:3000/x', 'https://localhost/', 'http://127.0.0.1:8080/', 'http://127.9.8.7/']
  for (const url of [...allowed, 'http://[::1]:3000/x', 'https://example.com/', 'http://127.1/'])
    assert.ok('url' in readTarget(url, demo), url)
  const still = [
    'http://example.com/',
    'http://8.8.8.8/',
    'http://10.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/',
  ]
  const disguised = [
    'http://[::ffff:127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://app.localhost/',
    'http://localhost./',
  ]
  const wrong = [
    'http://user@localhost/',
    'http://localhost/#x',
    'http://localhost:0/',
    'http://localhost.example.com/',
  ]
  for (const url of [...still, ...disguised, ...wrong]) assert.ok('refused' in readTarget(url, demo), url)
})
