import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importJWK, importPKCS8, jwtVerify, SignJWT } from 'jose'
import {
  generateKey,
  type KeyState,
  PUBLISHED_AFTER_SECONDS,
  SIGNING_ALGORITHMS,
  type SigningKey,
  stateOf,
  TOKEN_LIFETIME_SECONDS,
} from './signing-key.ts'

const now = new Date('2026-01-01T12:00:00Z')
const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const key = (from: number, until: number | null, published: number | null): SigningKey => ({
  kid: 'k',
  algorithm: 'ES256',
  publicJwk: {},
  signsFrom: at(from),
  signsUntil: until === null ? null : at(until),
  publishedUntil: published === null ? null : at(published),
})

const cases: Array<[KeyState, string, SigningKey]> = [
  ['next', 'signs from tomorrow', key(1_440, null, null)],
  ['next', 'was overtaken before it ever signed', key(1_440, 1_440, 1_510)],
  ['current', 'signs, and nothing comes after it yet', key(-10, null, null)],
  ['current', 'signs from this moment', key(0, null, null)],
  ['current', 'signs until tomorrow', key(-10, 1_440, 1_510)],
  ['retired', 'signs no more from this moment', key(-10, 0, 70)],
  ['retired', 'stopped an hour ago, its last tokens die now', key(-100, -60, 10)],
  ['gone', 'its last token died', key(-200, -70, 0)],
]
for (const [state, title, each] of cases) test(`${state}: ${title}`, () => assert.equal(stateOf(each, now), state))

test('a retired key stays longer than any token it signed', () => {
  assert.ok(PUBLISHED_AFTER_SECONDS > TOKEN_LIFETIME_SECONDS)
})

for (const algorithm of SIGNING_ALGORITHMS) {
  test(`${algorithm}: what the private half signs the published half verifies, and it holds nothing private`, async () => {
    const { kid, publicJwk, privateKey } = await generateKey(algorithm)
    assert.equal(publicJwk['kid'], kid)
    assert.equal(publicJwk['alg'], algorithm)
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) assert.equal(publicJwk[secret], undefined)
    const pem = `-----BEGIN PRIVATE KEY-----\n${privateKey.toString('base64')}\n-----END PRIVATE KEY-----`
    const jwt = await new SignJWT({ sub: 'x' })
      .setProtectedHeader({ alg: algorithm })
      .sign(await importPKCS8(pem, algorithm))
    const { payload } = await jwtVerify(jwt, await importJWK({ ...publicJwk, kty: publicJwk['kty'] ?? '' }, algorithm))
    assert.equal(payload.sub, 'x')
  })
}
