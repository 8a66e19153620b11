import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CodeVerdict, type IssuedCode, judgeCode, type Presented } from './authorization-code.ts'

// RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const issued: IssuedCode = {
  grantId: 'grt_1',
  applicationId: 'app_1',
  redirectUri: null,
  codeChallenge: null,
  consumed: false,
  expired: false,
}
const presented: Presented = { applicationId: 'app_1', confidential: true, redirectUri: null, codeVerifier: null }
const uri = 'https://client.example/cb'

const cases: Array<[CodeVerdict, string, Partial<IssuedCode> | null, Partial<Presented>]> = [
  ['valid', 'a secret and nothing else', {}, {}],
  ['unknown', 'nobody issued it', null, {}],
  ['of-another-application', 'another application', {}, { applicationId: 'app_2' }],
  ['of-another-application', 'another application, and used', { consumed: true }, { applicationId: 'app_2' }],
  ['reused', 'used', { consumed: true }, {}],
  ['reused', 'used and expired: a replay all the same', { consumed: true, expired: true }, {}],
  ['reused', 'used, with a wrong verifier', { consumed: true, codeChallenge: challenge }, {}],
  ['expired', 'expired', { expired: true }, {}],
  ['valid', 'the identical redirect_uri', { redirectUri: uri }, { redirectUri: uri }],
  ['redirect-uri-differs', 'redirect_uri missing', { redirectUri: uri }, {}],
  ['redirect-uri-differs', 'redirect_uri in another case', { redirectUri: uri }, { redirectUri: uri.toUpperCase() }],
  ['redirect-uri-differs', 'redirect_uri with a slash more', { redirectUri: uri }, { redirectUri: `${uri}/` }],
  ['valid', 'redirect_uri given though none was sent to /authorize', {}, { redirectUri: uri }],
  ['valid', 'the right verifier', { codeChallenge: challenge }, { codeVerifier: verifier }],
  [
    'valid',
    'the right verifier without a secret',
    { codeChallenge: challenge },
    { codeVerifier: verifier, confidential: false },
  ],
  ['verifier-missing', 'no verifier for a challenge', { codeChallenge: challenge }, {}],
  ['verifier-missing', 'neither secret nor challenge', {}, { confidential: false }],
  ['verifier-unexpected', 'a verifier for no challenge', {}, { codeVerifier: verifier }],
  [
    'verifier-unexpected',
    'a verifier for no challenge and no secret',
    {},
    { codeVerifier: verifier, confidential: false },
  ],
  ['verifier-wrong', 'another verifier', { codeChallenge: challenge }, { codeVerifier: 'w'.repeat(43) }],
  ['verifier-wrong', 'the challenge itself', { codeChallenge: challenge }, { codeVerifier: challenge }],
  ['verifier-wrong', 'a challenge that is no hash', { codeChallenge: 'short' }, { codeVerifier: verifier }],
  ['verifier-wrong', 'a verifier that is too short', { codeChallenge: challenge }, { codeVerifier: verifier.slice(1) }],
]
for (const [verdict, title, code, exchange] of cases) {
  test(`${verdict}: ${title}`, () => {
    assert.equal(judgeCode(code && { ...issued, ...code }, { ...presented, ...exchange }), verdict)
  })
}
