import { listSigningKeys } from '../../domain/keys/signing-key-store.ts'
import { reasonOf } from './bounded.ts'
import { fetchOutside, type OutsideAnswer } from './fetch-outside.ts'
import { type Finding, ok, skipped, warning, wrong } from './finding.ts'
import type { Patient } from './patient.ts'

const DAY_MS = 24 * 3_600_000
const RENEW_WITHIN_DAYS = 14
/** The header has whole seconds, and the answer was under way for a while. */
const DATE_WARNING_MS = 5_000

/** Discovery and keys at the public address, as every application that signs people in fetches them. */
export async function checkOutside(patient: Patient): Promise<Finding[]> {
  const { issuer, authUrl } = patient.addresses
  let answer: OutsideAnswer
  try {
    answer = await fetchOutside(`${issuer}/.well-known/openid-configuration`)
  } catch (error) {
    const reason = reasonOf(error)
    const check = isTlsFault(reason) ? 'certificate' : 'discovery'
    const says = reason === 'ABORT_ERR' ? 'does not answer' : `cannot be reached: ${reason}`
    return [wrong(check, `${authUrl} ${says}`, adviceOn(reason))]
  }
  const document = jsonIn(answer)
  if (answer.status !== 200 || document === null) {
    const says = `${authUrl} answers ${answer.status}${document === null ? ', and not with our JSON' : ''}`
    return [
      ...certificateOf(answer, patient),
      wrong('discovery', says, 'See where the proxy sends this name, and whether the service runs.'),
    ]
  }
  return [
    ...certificateOf(answer, patient),
    issuerOf(document['issuer'], issuer),
    dateOf(answer, patient),
    cachingOf(answer),
    await publishedKeys(patient),
  ]
}

function issuerOf(found: unknown, issuer: string): Finding {
  if (found === issuer) return ok('discovery', `the issuer is ${issuer}`)
  return wrong(
    'discovery',
    `the issuer there is ${typeof found === 'string' ? found.slice(0, 200) : 'missing'}, here it is ${issuer}`,
    'Give every process the same AUTH_URL, and let the name lead to this deployment: tokens are refused otherwise.',
  )
}

/** A key that only one of the two knows means that the name leads to another deployment, or through a cache that is too old. */
async function publishedKeys({ addresses, db }: Patient): Promise<Finding> {
  const check = 'published keys'
  if (db === null) return skipped(check, 'not compared: there is no database')
  const answer = await fetchOutside(`${addresses.issuer}/.well-known/jwks.json`)
  const keys = jsonIn(answer)?.['keys']
  const found = new Set(Array.isArray(keys) ? keys.map((key: unknown) => kidOf(key)) : [])
  const missing = (await listSigningKeys(db)).map(({ kid }) => kid).filter((kid) => !found.has(kid))
  if (missing.length === 0) return ok(check, `${found.size} keys, all of the database’s among them`)
  return wrong(
    check,
    `${missing.join(', ')} of the database ${missing.length === 1 ? 'is' : 'are'} not among the ${found.size} published`,
    'Let the name lead to processes with this DATABASE_URL, and no cache keep the keys for longer than their max-age.',
  )
}

function certificateOf({ certificateEnds }: OutsideAnswer, { addresses, clock }: Patient): Finding[] {
  if (certificateEnds === null)
    return [ok('certificate', `none: ${addresses.authUrl} is a loopback address, which needs no TLS`)]
  const days = Math.floor((certificateEnds.getTime() - clock().getTime()) / DAY_MS)
  const says = `valid for ${days} days more`
  return [
    days < RENEW_WITHIN_DAYS
      ? warning('certificate', says, 'See why it was not renewed yet.')
      : ok('certificate', says),
  ]
}

function dateOf({ headers }: OutsideAnswer, { clock }: Patient): Finding {
  const date = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN
  if (Number.isNaN(date)) return skipped('clock outside', 'the answer has no Date')
  const offMs = Math.abs(clock().getTime() - date)
  const says = `the Date at the public address differs by ${Math.round(offMs / 1_000)} s`
  return offMs > DATE_WARNING_MS
    ? warning('clock outside', says, 'Let NTP keep the clocks of this machine and of those behind the name.')
    : ok('clock outside', says)
}

function cachingOf({ headers }: OutsideAnswer): Finding {
  const found = headers['cache-control'] ?? 'nothing'
  return /\bmax-age=\d/.test(found) && typeof headers.etag === 'string'
    ? ok('caching', `discovery says ${found}, with an ETag`)
    : warning(
        'caching',
        `discovery says ${found.slice(0, 100)}`,
        'Let the proxy pass on Cache-Control and ETag as they are.',
      )
}

function jsonIn({ body }: OutsideAnswer): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(body)
    return typeof read === 'object' && read !== null ? { ...read } : null
  } catch {
    return null
  }
}

function kidOf(key: unknown): unknown {
  return typeof key === 'object' && key !== null && 'kid' in key ? key.kid : null
}

function isTlsFault(reason: string): boolean {
  return /^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(reason)
}

function adviceOn(reason: string): string {
  switch (reason) {
    case 'CERT_HAS_EXPIRED':
      return 'Renew the certificate of the proxy, and see why that did not happen by itself.'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'Give the proxy a certificate for the name in AUTH_URL.'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'Add the name in AUTH_URL to the DNS that this machine asks.'
    case 'ABORT_ERR':
      return 'The name leads somewhere that does not answer: see the firewall and the proxy.'
    default:
      return isTlsFault(reason)
        ? 'Give the proxy a certificate, with its chain, that the authorities of this machine vouch for.'
        : 'See whether the proxy runs and whether this machine may reach it by the name in AUTH_URL.'
  }
}
