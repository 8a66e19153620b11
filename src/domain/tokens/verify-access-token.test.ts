import assert from 'node:assert/strict'
import { createPrivateKey, webcrypto } from 'node:crypto'
import { test } from 'node:test'
import { KEY_PARAMETERS } from '../../platform/jwt.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { generateKey, TOKEN_LIFETIME_SECONDS } from '../keys/signing-key.ts'
import { issueApplicationAccessToken } from './access-token.ts'
import { createRevocations } from './revocations.ts'
import { createVerifiedTokens } from './verified-tokens.ts'
import { verifyAccessToken } from './verify-access-token.ts'

const noon = Date.UTC(2026, 0, 1, 12)
const issuer = 'https://handover.example'
const algorithm = 'ES256' as const

/** One key for as long as it is trusted, a token of it, and a clock to be moved. */
async function scene() {
  const { kid, publicJwk, privateKey } = await generateKey(algorithm)
  const publicKey = await webcrypto.subtle.importKey('jwk', publicJwk, KEY_PARAMETERS[algorithm], true, ['verify'])
  const signer = { kid, algorithm, key: createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }) }
  const now = { seconds: 0, trusted: true }
  const clock = () => new Date(noon + now.seconds * 1_000)
  const keys: KeyRing = {
    signer: () => signer,
    published: () => [publicJwk],
    verificationKey: (asked) => (asked === kid && now.trusted ? { algorithm, key: publicKey } : null),
    reload: async () => {},
  }
  const revocations = createRevocations(clock)
  const verifier = { issuer, keys, revocations, verified: createVerifiedTokens(), clock }
  const tokens = { issuer, keys, accessTokenAlgorithm: algorithm }
  const { token } = await issueApplicationAccessToken(tokens, 'app_1', 'https://api.example', ['x'], clock())
  return { now, revocations, verdict: async () => (await verifyAccessToken(verifier, token)).verdict }
}

for (const usedBefore of [true, false]) {
  const how = usedBefore ? 'that was used before' : 'that is used for the first time'

  test(`a token ${how} is good until the second it expires`, async () => {
    const { now, verdict } = await scene()
    if (usedBefore) assert.equal(await verdict(), 'valid')
    now.seconds = TOKEN_LIFETIME_SECONDS - 1
    if (usedBefore) assert.equal(await verdict(), 'valid')
    now.seconds = TOKEN_LIFETIME_SECONDS
    assert.equal(await verdict(), 'expired')
  })

  test(`a token ${how} is refused when it is revoked`, async () => {
    const { revocations, verdict } = await scene()
    if (usedBefore) assert.equal(await verdict(), 'valid')
    const at = new Date(noon)
    revocations.receive({
      topic: 'revocation',
      key: 'user app:app_1',
      issuedBefore: at,
      until: new Date(noon + 60_000),
    })
    assert.equal(await verdict(), 'revoked')
  })

  test(`a token ${how} is not ours when its key is not trusted any more`, async () => {
    const { now, verdict } = await scene()
    if (usedBefore) assert.equal(await verdict(), 'valid')
    now.trusted = false
    assert.equal(await verdict(), 'not-ours')
  })
}
