import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUESSABLE } from './guessable-passwords.ts'
import { passwordFault } from './password-rules.ts'

const OWNER = { email: 'Ann.Lee@example.com', username: 'annie' }

const REFUSED: Array<[password: string | null, why: RegExp]> = [
  [null, /Choose a password/],
  ['seven77', /at least 8/],
  ['👩‍⚕️👩', /at least 8/],
  [`x1${'abz'.repeat(43)}`, /at most 128/],
  ['password', /guessed first/],
  ['Password1', /guessed first/],
  ['PASSWORD123!', /guessed first/],
  ['P@ssw0rd', /guessed first/],
  ['p4$$w0rd2026!', /guessed first/],
  ['1234welcome!', /guessed first/],
  ['Summer2026', /guessed first/],
  ['qwertyuiop', /guessed first/],
  ['1q2w3e4r', /guessed first/],
  ['iloveyou', /guessed first/],
  ['NightShift22', /guessed first/],
  ['Handover2026!', /guessed first/],
  ['aaaaaaaaaaaa', /guessed first/],
  ['abababababab', /guessed first/],
  ['dragondragon', /guessed first/],
  ['12345678', /guessed first/],
  ['hgfedcba', /guessed first/],
  ['19840102', /guessed first/],
  ['2026-01-02', /guessed first/],
  ['ｐａｓｓｗｏｒｄ', /guessed first/],
  ['my ann.lee password', /e-mail address or username/],
  ['ANNIE-is-here-now', /e-mail address or username/],
  ['x ann.lee@example.com', /e-mail address or username/],
]
for (const [password, why] of REFUSED) {
  test(`${JSON.stringify(password?.slice(0, 30) ?? null)} is refused`, () =>
    assert.match(passwordFault(password, OWNER) ?? '', why))
}

const TAKEN = [
  'correct horse',
  'tr0ub4dor&3x',
  'a long sentence about summer',
  'ünïcödé-ok',
  '📷🎻🛶🧭🪁🧵🪴🫖',
  'x'.repeat(2) + 'yz'.repeat(63),
  '4815162342108',
]
for (const password of TAKEN) {
  test(`${JSON.stringify(password.slice(0, 30))} is taken`, () => assert.equal(passwordFault(password, OWNER), null))
}

test('a short name is no reason to refuse', () => {
  assert.equal(passwordFault('leeward shores', { email: 'lee@example.com', username: null }), null)
})

test('the list has a few hundred words, in the form that they are compared in', () => {
  assert.ok(GUESSABLE.size > 500)
  for (const word of GUESSABLE) assert.equal(word, word.normalize('NFKC').toLowerCase())
})
