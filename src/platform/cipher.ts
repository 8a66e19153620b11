import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'

/**
 * Encryption at rest with one master key (decision B4): AES-256-GCM, the id of the key in front of every ciphertext so that
 * a rotation can tell old from new. The context (what the value is and whose) is authenticated too, so that a ciphertext
 * moved to another row or column does not open.
 */
export type Cipher = {
  readonly keyId: string
  /** Whether this is the current key or one of the previous ones. */
  knows: (keyId: string) => boolean
  encrypt: (plain: string | Uint8Array, context: string) => Buffer
  decrypt: (sealed: Uint8Array, context: string) => Buffer
  /** Key material for another purpose, bound to the master key but useless for finding it. */
  derive: (purpose: string, bytes: number) => Buffer
}

export const MASTER_KEY_BYTES = 32

const FORMAT = 1
const KEY_ID_BYTES = 8
const IV_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + KEY_ID_BYTES

/** The first key encrypts; the others only open what was encrypted before a rotation. */
export function createCipher(masterKey: Uint8Array, previousKeys: readonly Uint8Array[] = []): Cipher {
  const current = keyFrom(masterKey)
  const header = Buffer.concat([Buffer.of(FORMAT), current.id])
  const known = new Map([current, ...previousKeys.map(keyFrom)].map((key) => [key.id.toString('hex'), key]))

  return {
    keyId: current.id.toString('hex'),

    knows: (keyId) => known.has(keyId),

    encrypt(plain, context) {
      const iv = nextIv()
      const aes = createCipheriv('aes-256-gcm', current.secret, iv, { authTagLength: TAG_BYTES })
      aes.setAAD(Buffer.from(context))
      const body = typeof plain === 'string' ? aes.update(plain, 'utf8') : aes.update(plain)
      const rest = aes.final()
      return Buffer.concat([header, iv, aes.getAuthTag(), body, rest])
    },

    decrypt(sealed, context) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
      const key = known.get(bytes.subarray(1, HEADER_BYTES).toString('hex'))
      if (bytes[0] !== FORMAT || key === undefined) throw new Error('Encrypted with a key that is not configured')
      const iv = bytes.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES)
      const tag = bytes.subarray(HEADER_BYTES + IV_BYTES, HEADER_BYTES + IV_BYTES + TAG_BYTES)
      const aes = createDecipheriv('aes-256-gcm', key.secret, iv, { authTagLength: TAG_BYTES })
      aes.setAAD(Buffer.from(context))
      aes.setAuthTag(tag)
      return Buffer.concat([aes.update(bytes.subarray(HEADER_BYTES + IV_BYTES + TAG_BYTES)), aes.final()])
    },

    derive: (purpose, bytes) => expand(masterKey, `handover derived: ${purpose}`, bytes),
  }
}

const IVS_AT_ONCE = 256
let ivs = Buffer.alloc(0)

/** Each is used once. Asking for the bytes of one takes a third of the time of a short encryption, so they are drawn many at once. */
function nextIv(): Buffer {
  if (ivs.length < IV_BYTES) ivs = randomBytes(IV_BYTES * IVS_AT_ONCE)
  const iv = ivs.subarray(0, IV_BYTES)
  ivs = ivs.subarray(IV_BYTES)
  return iv
}

function keyFrom(masterKey: Uint8Array): { id: Buffer; secret: KeyObject } {
  return {
    id: expand(masterKey, 'handover key id', KEY_ID_BYTES),
    // As a key object, made once: from bytes, Node spends ten times as long on each use finding out what they are.
    secret: createSecretKey(expand(masterKey, 'handover encryption', 32)),
  }
}

function expand(masterKey: Uint8Array, info: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(), info, bytes))
}
