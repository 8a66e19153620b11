import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApplicationType } from './application.ts'
import { redirectUriFault } from './redirect-uri.ts'

const good: Array<[string, ApplicationType[]]> = [
  ['https://a.example/callback', ['web', 'spa', 'native']],
  ['https://a.example', ['web']],
  ['https://a.example/', ['web']],
  ['https://a.example:8443/cb?tenant=1&x=%20', ['web']],
  ['https://xn--bcher-kva.example/cb', ['web']],
  ['https://192.0.2.1/cb', ['web']],
  ['http://localhost/cb', ['web', 'spa', 'native']],
  ['http://localhost:3000/cb', ['web', 'spa', 'native']],
  ['http://127.0.0.1:3000/cb', ['web']],
  ['http://[::1]:3000/cb', ['web']],
  ['com.example.app:/callback', ['native']],
  ['com.example.app://callback', ['native']],
  ['com.example.app:', ['native']],
]
for (const [uri, types] of good) {
  test(`taken: ${uri} (${types.join(', ')})`, () => {
    for (const type of types) assert.equal(redirectUriFault(type, uri), null)
  })
}

const bad: Array<[string, ApplicationType, RegExp]> = [
  ['http://a.example/cb', 'web', /https:\/\//],
  ['http://localhost.evil.example/cb', 'web', /https:\/\//],
  ['http://app.localhost/cb', 'web', /https:\/\//],
  ['http://127.0.0.2/cb', 'web', /https:\/\//],
  ['http://0.0.0.0/cb', 'web', /https:\/\//],
  ['http://2130706433/cb', 'web', /Write it as browsers do: http:\/\/127\.0\.0\.1\/cb/],
  ['https://a.example/cb#part', 'web', /fragment/],
  ['https://a.example/cb#', 'web', /fragment/],
  ['https://*.a.example/cb', 'web', /wildcard/],
  ['https://a.example/*', 'native', /wildcard/],
  ['https://ann:pass@a.example/cb', 'web', /user name/],
  ['https://ann@a.example/cb', 'web', /user name/],
  ['https://a.example\\@evil.example/cb', 'web', /Write it as browsers do/],
  ['https:a.example/cb', 'web', /whole address/],
  ['https://', 'web', /whole address/],
  ['https:///cb', 'web', /Write it as browsers do|whole address/],
  ['HTTPS://a.example/cb', 'web', /Write it as browsers do: https:\/\/a\.example\/cb/],
  ['https://A.example/cb', 'web', /Write it as browsers do: https:\/\/a\.example\/cb/],
  ['https://a.example:443/cb', 'web', /Write it as browsers do: https:\/\/a\.example\/cb/],
  ['https://a.example/x/../cb', 'web', /Write it as browsers do: https:\/\/a\.example\/cb/],
  ['https://a.example/c b', 'web', /Write it as browsers do: https:\/\/a\.example\/c%20b/],
  ['https://a.example/caf\u00e9', 'web', /Write it as browsers do: https:\/\/a\.example\/caf%C3%A9/],
  ['https://b\u00fccher.example/cb', 'web', /Write it as browsers do: https:\/\/xn--bcher-kva\.example\/cb/],
  ['https://a.example/\u202egpj', 'web', /Write it as browsers do: https:\/\/a\.example\/%E2%80%AEgpj/],
  ['https://a.example/\tcb', 'web', /Write it as browsers do: https:\/\/a\.example\/cb/],
  ['com.example.app:/caf\u00e9', 'native', /percent-encoded/],
  ['com.example.app:/a b', 'native', /percent-encoded/],
  [`https://a.example/${'x'.repeat(1_000)}`, 'web', /longer than 1000/],
  ['https://a.example/"><script>', 'web', /Write it as browsers do/],
  ['/callback', 'web', /https:\/\//],
  ['a.example/callback', 'web', /https:\/\//],
  ['//a.example/callback', 'spa', /https:\/\//],
  ['javascript:alert(1)', 'web', /https:\/\//],
  ['javascript:alert(1)', 'native', /a dot in it/],
  ['data:text/html,x', 'native', /a dot in it/],
  ['file:///etc/passwd', 'native', /a dot in it/],
  ['myapp:/callback', 'native', /a dot in it/],
  ['com.example.app:/callback', 'web', /https:\/\//],
  ['com.example.app:/callback', 'spa', /https:\/\//],
  ['Com.Example.App:/callback', 'native', /written small/],
  ['com..app:/callback', 'native', /a dot in it/],
  ['.app:/callback', 'native', /a scheme of your own/],
  ['callback', 'native', /a scheme of your own/],
  ['com.example.app://ann@host/cb', 'native', /user name/],
  ['com.example.app:/cb#x', 'native', /fragment/],
]
for (const [uri, type, reason] of bad) {
  test(`refused with the reason: ${JSON.stringify(uri).slice(0, 60)} (${type})`, () => {
    assert.match(redirectUriFault(type, uri) ?? '', reason)
  })
}
