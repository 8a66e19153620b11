import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  judgeRefreshToken,
  type KnownRefreshToken,
  openSuccessor,
  type RefreshVerdict,
  sealSuccessor,
} from './refresh-token.ts'

const known: KnownRefreshToken = {
  familyId: 'grt_1',
  applicationId: 'app_1',
  scope: ['openid', 'email'],
  audience: 'sandbox',
  expired: false,
  revoked: false,
  consumed: false,
  successorSealed: null,
}
const sealed = Buffer.from('sealed')
const used = { consumed: true }
const retried = { consumed: true, successorSealed: sealed }

const cases: Array<[RefreshVerdict, string, Partial<KnownRefreshToken> | null, string, string[] | null]> = [
  ['valid', 'live', {}, 'app_1', null],
  ['valid', 'live, with fewer scopes', {}, 'app_1', ['email']],
  ['valid', 'live, with no scope at all', {}, 'app_1', []],
  ['unknown', 'nobody issued it', null, 'app_1', null],
  ['of-another-application', 'live, of another', {}, 'app_2', null],
  ['of-another-application', 'used, of another: no reuse, or a stranger could end a family', used, 'app_2', null],
  ['of-another-application', 'inside its leeway, of another', retried, 'app_2', null],
  ['revoked', 'revoked', { revoked: true }, 'app_1', null],
  ['revoked', 'revoked and used', { revoked: true, ...used }, 'app_1', null],
  ['revoked', 'revoked inside its leeway', { revoked: true, ...retried }, 'app_1', null],
  ['expired', 'expired', { expired: true }, 'app_1', null],
  ['expired', 'expired inside its leeway', { expired: true, ...retried }, 'app_1', null],
  ['reused', 'used', used, 'app_1', null],
  ['reused', 'used, asking for more', used, 'app_1', ['phone']],
  ['retried', 'used inside its leeway', retried, 'app_1', null],
  ['retried', 'used inside its leeway, with fewer scopes', retried, 'app_1', ['openid']],
  ['scope-exceeded', 'used inside its leeway, asking for more', retried, 'app_1', ['phone']],
  ['scope-exceeded', 'asking for more', {}, 'app_1', ['openid', 'phone']],
  ['target-closed', 'for an audience the application may not use any more', { audience: 'production' }, 'app_1', null],
  ['valid', 'for no audience', { audience: null }, 'app_1', null],
]
for (const [verdict, title, token, applicationId, scope] of cases) {
  test(`${verdict}: ${title}`, () => {
    assert.equal(
      judgeRefreshToken(token && { ...known, ...token }, { applicationId, scope, audiences: ['sandbox'] }),
      verdict,
    )
  })
}

test('who holds the predecessor opens the successor, and nobody else', () => {
  const box = sealSuccessor('predecessor', 'successor')
  assert.equal(openSuccessor('predecessor', box), 'successor')
  assert.throws(() => openSuccessor('another', box))
  assert.ok(!box.includes('successor'))
  assert.notDeepEqual(sealSuccessor('predecessor', 'successor'), box)
})

test('a sealed successor that was changed does not open', () => {
  const box = sealSuccessor('predecessor', 'successor')
  for (const position of box.keys()) {
    const changed = Buffer.from(box)
    changed[position] = (changed[position] ?? 0) ^ 1
    assert.throws(() => openSuccessor('predecessor', changed))
  }
})
