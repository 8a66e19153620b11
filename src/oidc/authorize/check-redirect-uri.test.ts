import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Application, newApplication } from '../../domain/applications/application.ts'
import { OAuthError } from '../oauth/oauth-error.ts'
import { checkRedirectUri } from './check-redirect-uri.ts'

const registered = (type: Application['type'], ...redirectUris: string[]) => ({
  ...newApplication({ id: 'app', name: 'Test', type, redirectUris }),
  secrets: [],
})

const sent: Array<[string, Application['type'], string[], string | null, string | null]> = [
  [
    'the exact string',
    'web',
    ['https://a.example/cb', 'https://b.example/cb'],
    'https://b.example/cb',
    'https://b.example/cb',
  ],
  ['none, and one is registered', 'web', ['https://a.example/cb'], null, 'https://a.example/cb'],
  ['none, and several are', 'web', ['https://a.example/cb', 'https://b.example/cb'], null, null],
  ['none, and none is', 'web', [], null, null],
  ['one, and none is registered', 'web', [], 'https://a.example/cb', null],
  ['an address that is normalised alike', 'web', ['https://a.example/cb'], 'https://a.example:443/cb', null],
  ['another port, web', 'web', ['http://localhost/cb'], 'http://localhost:3000/cb', null],
  ['another port, single-page', 'spa', ['http://localhost:1/cb'], 'http://localhost:2/cb', null],
  ['another port, native', 'native', ['http://localhost:1/cb'], 'http://localhost:2/cb', 'http://localhost:2/cb'],
  ['a port where none is registered, native', 'native', ['http://[::1]/cb'], 'http://[::1]:2/cb', 'http://[::1]:2/cb'],
  ['no port where one is registered, native', 'native', ['http://127.0.0.1:9'], 'http://127.0.0.1', 'http://127.0.0.1'],
  [
    'another port and another name for loopback, native',
    'native',
    ['http://localhost/cb'],
    'http://127.0.0.1:2/cb',
    null,
  ],
  [
    'another port at a name that only begins so, native',
    'native',
    ['http://localhost/cb'],
    'http://localhost.evil:2/cb',
    null,
  ],
  ['another port with https, native', 'native', ['https://localhost/cb'], 'https://localhost:2/cb', null],
  ['another port elsewhere, native', 'native', ['http://a.example/cb'], 'http://a.example:2/cb', null],
]
for (const [what, type, uris, uri, target] of sent) {
  test(`${target === null ? 'refused' : 'taken'}: ${what}`, () => {
    const application = registered(type, ...uris)
    if (target === null) {
      assert.throws(() => checkRedirectUri(application, uri), OAuthError)
      return
    }
    const proven = checkRedirectUri(application, uri)
    assert.deepEqual([proven.redirectUri, proven.redirectUriSent], [target, uri])
  })
}
