import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRecoveryCodes, readRecoveryCode } from './recovery-code.ts'
import { base32, matchingStep, newTotpSecret, otpauthUri, stepAt, totpCode } from './totp.ts'

/** RFC 6238, appendix B, SHA-1: eight digits there, of which an app with six shows the last six. */
const SECRET = Buffer.from('12345678901234567890')
const VECTORS: Array<[seconds: number, eightDigits: string]> = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
]

for (const [seconds, eightDigits] of VECTORS) {
  test(`RFC 6238 appendix B at ${seconds} s`, () => {
    assert.equal(totpCode(SECRET, stepAt(new Date(seconds * 1_000))), eightDigits.slice(-6))
  })
}

/** RFC 4226, appendix D. */
const COUNTED = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']

test('RFC 4226 appendix D', () => {
  assert.deepEqual(
    COUNTED.map((_, step) => totpCode(SECRET, step)),
    COUNTED,
  )
})

test('a code of the step before and after is taken, none further away, and nothing that is not six digits', () => {
  const now = new Date(1_234_567_890_000)
  const step = stepAt(now)
  for (const [drift, taken] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    assert.equal(matchingStep(SECRET, totpCode(SECRET, step + drift), now), taken ? step + drift : null, `${drift}`)
  }
  assert.equal(matchingStep(SECRET, ' 005-924\n', now), step, 'as an app shows it, in groups')
  for (const typed of ['', '05924', '0005924', '005924x', '００５９２４', '005 924 1'])
    assert.equal(matchingStep(SECRET, typed, now), null, typed)
})

test('RFC 4648 section 10, base32 without padding', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  }
  for (const [plain, encoded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(plain)), encoded)
})

test('the address for authenticator apps names the service, the account and the secret', () => {
  const uri = new URL(otpauthUri('a b&c@example.com', SECRET))
  assert.equal(uri.protocol, 'otpauth:')
  assert.equal(decodeURIComponent(uri.pathname), '/Handover:a b&c@example.com')
  assert.equal(uri.searchParams.get('secret'), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.equal(uri.searchParams.get('issuer'), 'Handover')
  assert.equal(newTotpSecret().length, 20)
})

test('ten recovery codes, all different, read back as people type them', () => {
  const codes = newRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^[A-Z2-7]{4}(-[A-Z2-7]{4}){5}$/)
    assert.equal(readRecoveryCode(code), code)
    assert.equal(readRecoveryCode(` ${code.toLowerCase().replaceAll('-', ' ')}`), code)
    assert.equal(readRecoveryCode(code.replaceAll('O', '0').replaceAll('I', '1').replaceAll('B', '8')), code)
  }
  assert.equal(readRecoveryCode('abcd efgh ijkl mnop'), 'ABCD-EFGH-IJKL-MNOP', 'as they were made before')
  for (const typed of ['', '123456', 'ABCD-EFGH-IJKL', 'ABCD-EFGH-IJKL-MNOP-Q', 'ABCD-EFGH-IJKL-MNO9'])
    assert.equal(readRecoveryCode(typed), null, typed)
})
