import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto'
import type { Cipher } from '../../platform/cipher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { type JwtAlgorithm, type JwtSigner, KEY_PARAMETERS } from '../../platform/jwt.ts'
import { type PublicJwk, type SigningKey, stateOf } from './signing-key.ts'
import { readSigningKeys } from './signing-key-store.ts'

/** The signing keys as this process holds them: parsed once, read again when one was made. */
export type KeyRing = {
  signer: (algorithm: JwtAlgorithm) => JwtSigner
  /** What verifiers need: the next, the current and the retired keys. */
  published: () => PublicJwk[]
  verificationKey: (kid: string) => { algorithm: JwtAlgorithm; key: webcrypto.CryptoKey } | null
  reload: () => Promise<void>
}

type HeldKey = SigningKey & { privateKey: KeyObject | null; publicKey: webcrypto.CryptoKey }

export async function openKeyRing(db: Db, cipher: Cipher, clock: Clock): Promise<KeyRing> {
  let keys: HeldKey[] = []
  async function read(): Promise<void> {
    keys = await Promise.all((await readSigningKeys(db, cipher)).map(hold))
  }
  // One after the other, so that an older reading cannot come in last.
  let reading = read()
  function reload(): Promise<void> {
    reading = reading.then(read, read)
    return reading
  }
  await reading

  return {
    reload,

    signer(algorithm) {
      const now = clock()
      const ours = keys.filter((key) => key.algorithm === algorithm)
      // By a clock that runs behind, the first key of all is still to come. It is published, so what it signs is verified.
      const current =
        ours.findLast((key) => stateOf(key, now) === 'current') ?? ours.find((key) => stateOf(key, now) === 'next')
      if (!current?.privateKey) throw new Error(`There is no current signing key for ${algorithm}`)
      return { kid: current.kid, algorithm, key: current.privateKey }
    },

    published() {
      const now = clock()
      return keys.filter((key) => stateOf(key, now) !== 'gone').map((key) => key.publicJwk)
    },

    verificationKey(kid) {
      const now = clock()
      const found = keys.find((key) => key.kid === kid && stateOf(key, now) !== 'gone')
      return found ? { algorithm: found.algorithm, key: found.publicKey } : null
    },
  }
}

async function hold(key: SigningKey & { privateKey: Buffer | null }): Promise<HeldKey> {
  const { privateKey, publicJwk, algorithm } = key
  return {
    ...key,
    privateKey: privateKey && createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' }),
    publicKey: await webcrypto.subtle.importKey('jwk', publicJwk, KEY_PARAMETERS[algorithm], true, ['verify']),
  }
}
