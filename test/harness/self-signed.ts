import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const ECDSA_WITH_SHA256 = '06082a8648ce3d040302'
const COMMON_NAME = '0603550403'
const SUBJECT_ALT_NAME = '0603551d11'
const DAY_MS = 24 * 60 * 60 * 1000

/** A certificate for one name (RFC 5280), valid for a day more, that vouches for itself: whoever trusts it takes it as the `ca`. */
export function selfSigned(name: string, endsAt = Date.now() + DAY_MS): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(Buffer.from(ECDSA_WITH_SHA256, 'hex'))
  const distinguished = sequence(der(0x31, sequence(Buffer.from(COMMON_NAME, 'hex'), der(0x0c, Buffer.from(name)))))
  const altName = sequence(
    Buffer.from(SUBJECT_ALT_NAME, 'hex'),
    der(0x04, sequence(der(0x82, Buffer.from(name, 'ascii')))),
  )
  const certified = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(8)])),
    algorithm,
    distinguished,
    sequence(utcTime(Math.min(Date.now(), endsAt) - DAY_MS), utcTime(endsAt)),
    distinguished,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName)),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', certified, privateKey))
  const lines = sequence(certified, algorithm, signature)
    .toString('base64')
    .replaceAll(/.{1,64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`,
  }
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function utcTime(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`))
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
