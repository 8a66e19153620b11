import { isLoopbackUrl } from '../platform/loopback.ts'
import { OperatorError } from '../platform/operator-error.ts'

/** Where `npm start` runs it. */
export const USUAL_URL = 'http://localhost:4000'

/** The service answers at fixed paths, so its address is an origin. Secrets are sent there: in the clear only to oneself. */
export function readServiceUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new OperatorError(`${from} takes an address such as https://api.example.com or ${USUAL_URL}`)
  if (url.username !== '' || url.search !== '' || url.hash !== '' || url.pathname !== '/')
    throw new OperatorError(`${from} takes scheme, host and port alone, such as ${url.origin}`)
  if (!isSafeForSecrets(url))
    throw new OperatorError(`${from} must begin with https:// (http:// is for a service on this computer only)`)
  return url.origin
}

/** On the way there nobody can read along. */
export function isSafeForSecrets(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(url.origin))
}
