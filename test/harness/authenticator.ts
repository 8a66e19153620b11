import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** What a page asks of an authenticator, as far as this one cares. */
type Asked = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } }

/** What a dishonest authenticator, or somebody in between, would say instead. */
export type Tweak = {
  origin?: string
  rpId?: string
  type?: string
  userVerified?: boolean
  counter?: number
  userHandle?: string
  id?: string
  /** Of an attestation statement. */
  fmt?: string
  statement?: Map<unknown, unknown>
}

/** An authenticator without hardware: one resident ES256 key, in the JSON form in which browsers answer. */
export class Authenticator {
  readonly credentialId = randomBytes(32)
  counter = 0
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin: string
  #userHandle = ''

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Answers what navigator.credentials.create() would. */
  create(asked: Asked, tweak: Tweak = {}): string {
    this.#userHandle = asked.user?.id ?? ''
    const id = this.credentialId
    const known = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, this.#coseKey()])
    const authData = Buffer.concat([this.#head(tweak.rpId ?? asked.rp?.id ?? '', 0x40, tweak), known])
    const attestation = new Map<unknown, unknown>([
      ['fmt', tweak.fmt ?? 'none'],
      ['attStmt', tweak.statement ?? new Map()],
      ['authData', authData],
    ])
    const clientData = this.#clientData(tweak.type ?? 'webauthn.create', asked.challenge, tweak)
    return this.#named(tweak, {
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: cbor(attestation).toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Answers what navigator.credentials.get() would. */
  get(asked: Asked, tweak: Tweak = {}): string {
    const authData = this.#head(tweak.rpId ?? asked.rpId ?? '', 0, tweak)
    const clientData = this.#clientData(tweak.type ?? 'webauthn.get', asked.challenge, tweak)
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()])
    return this.#named(tweak, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#key.privateKey).toString('base64url'),
      userHandle: tweak.userHandle ?? this.#userHandle,
    })
  }

  #named({ id = this.credentialId.toString('base64url') }: Tweak, response: Record<string, unknown>): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response })
  }

  #head(rpId: string, extra: number, { userVerified = true, counter = this.counter }: Tweak): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flags = 0x01 | (userVerified ? 0x04 : 0) | extra
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
  }

  #clientData(type: string, challenge: string, { origin = this.#origin }: Tweak): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' })
    return cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
  }
}

/** As much of RFC 8949 as attestation objects need. */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([name, each]) => [cbor(name), cbor(each)])])
  throw new TypeError(`no CBOR for ${typeof value}`)
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
}
