import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { test } from 'node:test'
import { concatenated, type JwtAlgorithm, signJwt } from './jwt.ts'

const PAIRS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
}

for (const [algorithm, hash, times] of [
  ['RS256', 'sha256', 4],
  // One signature in 128 has a half that is shorter than 32 bytes.
  ['ES256', 'sha256', 2_000],
  ['EdDSA', null, 20],
] as const satisfies Array<[JwtAlgorithm, string | null, number]>) {
  test(`what is signed by ${algorithm} is verified`, async () => {
    const { privateKey, publicKey } = PAIRS[algorithm]
    for (let time = 0; time < times; time++) {
      const jwt = await signJwt({ kid: algorithm, algorithm, key: privateKey }, 'JWT', { time })
      const [header = '', payload = '', signature = ''] = jwt.split('.')
      assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
        alg: algorithm,
        typ: 'JWT',
        kid: algorithm,
      })
      const valid = verify(
        hash,
        Buffer.from(`${header}.${payload}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      )
      assert.ok(valid, jwt)
    }
  })
}

test('each half of a signature has 32 bytes, however short or long its integer is', () => {
  const high = Buffer.alloc(32, 0xff)
  const der = Buffer.concat([Buffer.from([0x30, 0x26, 0x02, 0x21, 0x00]), high, Buffer.from([0x02, 0x01, 0x07])])
  assert.deepEqual(concatenated(der), Buffer.concat([high, Buffer.alloc(31), Buffer.from([0x07])]))
})
