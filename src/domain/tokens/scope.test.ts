import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantedScope, SUPPORTED_SCOPES, scopeWords } from './scope.ts'

const both = { apiScopes: ['marketplace:read' as const, 'marketplace:write' as const] }
const reader = { apiScopes: ['marketplace:read' as const] }

test('the scopes are the contract’s ten', () => {
  assert.deepEqual(
    SUPPORTED_SCOPES.join(' '),
    'openid profile email name address phone role offline_access marketplace:read marketplace:write',
  )
})

test('a scope parameter is words, each once, in the order they came', () => {
  const cases: Array<[string, string[]]> = [
    ['', []],
    ['   ', []],
    ['openid', ['openid']],
    ['  openid   email ', ['openid', 'email']],
    ['email openid email', ['email', 'openid']],
    ['OpenID', ['OpenID']],
    ['openid\temail', ['openid\temail']],
  ]
  for (const [text, words] of cases) assert.deepEqual(scopeWords(text), words, text)
})

const cases: Array<[string, string | null, typeof both | typeof reader, string | null, string]> = [
  ['nothing asked, no audience: openid', null, both, null, 'openid'],
  [
    'nothing asked, an audience: openid and the API scopes',
    null,
    both,
    'api',
    'openid marketplace:read marketplace:write',
  ],
  ['nothing asked, an audience, one API scope', null, reader, 'api', 'openid marketplace:read'],
  ['unknown scopes are ignored', 'openid admin', both, null, 'openid'],
  ['marketplace scopes without an audience are dropped', 'openid marketplace:read', both, null, 'openid'],
  ['marketplace scopes with an audience are granted', 'marketplace:write', both, 'api', 'marketplace:write'],
  ['a marketplace scope that the application does not have', 'marketplace:write', reader, 'api', ''],
  ['only what was asked', 'email', both, 'api', 'email'],
  ['scopes are compared as they are', 'OPENID Email', both, 'api', ''],
]
for (const [title, asked, application, audience, granted] of cases) {
  test(title, () => assert.equal(grantedScope(asked, application, audience).join(' '), granted))
}
