import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readSigningKeys } from '../../src/domain/keys/signing-key-store.ts'
import { type JwtAlgorithm, type JwtSigner } from '../../src/platform/jwt.ts'
import type { TestHandover } from './handover.ts'

/** The service's own private key, to sign what the service itself never would. */
export async function signerOf({ deps }: TestHandover, algorithm: JwtAlgorithm): Promise<JwtSigner> {
  const keys = await readSigningKeys(deps.db, deps.cipher)
  const key = keys.find((each) => each.algorithm === algorithm && each.privateKey !== null)
  assert.ok(key?.privateKey)
  return { kid: key.kid, algorithm, key: createPrivateKey({ key: key.privateKey, format: 'der', type: 'pkcs8' }) }
}

/** One part of a JWT. */
export function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
