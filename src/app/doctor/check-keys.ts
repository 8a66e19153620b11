import { SIGNING_ALGORITHMS, SIGNS_FOR_SECONDS, type SigningKey, stateOf } from '../../domain/keys/signing-key.ts'
import { readSigningKeys } from '../../domain/keys/signing-key-store.ts'
import { type Cipher, createCipher } from '../../platform/cipher.ts'
import type { Db } from '../../platform/db.ts'
import type { JwtAlgorithm } from '../../platform/jwt.ts'
import { knownMasterKeyId } from '../../platform/master-key-store.ts'
import { readMasterKey } from '../master-key-file.ts'
import { type Finding, ok, skipped, warning, wrong } from './finding.ts'
import type { Patient } from './patient.ts'

const DAY_MS = 24 * 3_600_000
/** The worker comes by every hour; a day later nobody did. */
const OVERDUE_MS = SIGNS_FOR_SECONDS * 1_000 + DAY_MS

export async function checkKeys({ config, clock }: Patient, db: Db): Promise<Finding[]> {
  const knownKeyId = await knownMasterKeyId(db)
  if (knownKeyId === null)
    return [skipped('master key', 'the database has none yet: "handover serve" adopts this one at its first start')]
  const key = config.masterKey ?? (await readMasterKey(config.dataFolder))
  if (key === null)
    return [
      wrong('master key', `there is none, and the database needs ${knownKeyId}`, 'Set HANDOVER_MASTER_KEY to it.'),
    ]
  const cipher = createCipher(key, config.previousMasterKeys)
  if (!cipher.knows(knownKeyId)) {
    const says = `key ${cipher.keyId} does not open this database, which was encrypted with ${knownKeyId}`
    return [wrong('master key', says, 'Set HANDOVER_MASTER_KEY to that key: without it no token can be signed.')]
  }
  return [
    masterKeyOf(cipher, knownKeyId, config.previousMasterKeys.length),
    ...(await signingKeys(db, cipher, clock())),
  ]
}

function masterKeyOf(cipher: Cipher, knownKeyId: string, previous: number): Finding {
  if (cipher.keyId !== knownKeyId)
    return warning(
      'master key',
      `a rotation is under way: the database is still encrypted with ${knownKeyId}`,
      'Run "handover master-key rotate" when every process has both keys.',
    )
  if (previous > 0)
    return warning(
      'master key',
      `${knownKeyId} is the database’s, and the key before it is still configured`,
      'Remove HANDOVER_MASTER_KEY_PREVIOUS when "handover master-key rotate" has nothing left to do.',
    )
  return ok('master key', `${knownKeyId} is the database’s`)
}

async function signingKeys(db: Db, cipher: Cipher, now: Date): Promise<Finding[]> {
  let keys: SigningKey[]
  try {
    keys = await readSigningKeys(db, cipher)
  } catch {
    const says = 'a signing key cannot be opened with the master key'
    return [wrong('signing keys', says, 'Restore the rows of signing_keys from a backup of this database.')]
  }
  return SIGNING_ALGORITHMS.map((algorithm) => keyOf(algorithm, keys, now))
}

function keyOf(algorithm: JwtAlgorithm, keys: readonly SigningKey[], now: Date): Finding {
  const check = `signing key ${algorithm}`
  const ours = keys.filter((key) => key.algorithm === algorithm)
  const current = ours.find((key) => stateOf(key, now) === 'current')
  if (current === undefined)
    return wrong(check, 'none signs', 'Start "handover serve": it makes keys of algorithms that have none.')
  const next = ours.find((key) => stateOf(key, now) === 'next')
  const days = Math.floor((now.getTime() - current.signsFrom.getTime()) / DAY_MS)
  const says = `${current.kid} has signed for ${days} days`
  if (next !== undefined) return ok(check, `${says}, ${next.kid} takes over at ${next.signsFrom.toISOString()}`)
  return now.getTime() - current.signsFrom.getTime() > OVERDUE_MS
    ? warning(check, `${says}, and nobody has replaced it`, 'Start a worker: it rotates keys after 90 days.')
    : ok(check, says)
}
