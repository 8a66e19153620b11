import type { Application, ApplicationType } from './application.ts'

export const MOST_REDIRECT_URIS = 50
export const LONGEST_REDIRECT_URI = 1_000

/** The hosts that http is good for: what listens there is on the person's own machine (decision B8). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whether an address that came with a request is one that is registered: the exact string, but for a native one's port. */
export function isRegisteredRedirectUri(
  { type, redirectUris }: Pick<Application, 'type' | 'redirectUris'>,
  sent: string,
): boolean {
  return redirectUris.includes(sent) || (type === 'native' && redirectUris.some((uri) => sameButForPort(uri, sent)))
}

const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/

/** RFC 8252 7.3: a native application listens on whatever loopback port it was given; all else is compared as it stands. */
function sameButForPort(registered: string, sent: string): boolean {
  const [known, asked] = [LOOPBACK.exec(registered), LOOPBACK.exec(sent)]
  if (!known || !asked) return false
  return known[1] === asked[1] && registered.slice(known[0].length) === sent.slice(asked[0].length)
}

/** Why an address cannot be registered (decision B8); null when it can. What is registered is compared to the letter later. */
export function redirectUriFault(type: ApplicationType, uri: string): string | null {
  return (
    spellingFault(uri) ??
    (/^https?:/i.test(uri)
      ? webFault(uri)
      : type === 'native'
        ? privateSchemeFault(uri)
        : 'It must begin with https://.')
  )
}

function spellingFault(uri: string): string | null {
  if (uri.length > LONGEST_REDIRECT_URI) return `It is longer than ${LONGEST_REDIRECT_URI} characters.`
  if (uri.includes('*')) return 'A wildcard is not possible: register each address as it is.'
  if (uri.includes('#')) return 'Leave out the fragment, which begins with #.'
  return null
}

function webFault(uri: string): string | null {
  const url = URL.parse(uri)
  if (url === null || !/^https?:\/\//i.test(uri))
    return 'It is not a whole address, such as https://example.com/callback.'
  if (url.username !== '' || url.password !== '') return 'Leave out the user name and password before the @.'
  if (url.protocol === 'http:' && !LOOPBACK_HOSTS.has(url.hostname))
    return 'It must begin with https://. Without the s is for localhost, 127.0.0.1 and [::1] only.'
  // A browser would write it in another way, and then neither side would know which of the two is compared.
  return url.href === uri || url.href === `${uri}/` ? null : `Write it as browsers do: ${url.href}`
}

/** RFC 8252 7.1: a scheme of one's own, made from a domain name, so that no other application has it by chance. */
function privateSchemeFault(uri: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'Spaces and letters beyond ASCII have to be percent-encoded.'
  if (scheme === undefined) return 'It must begin with https:// or with a scheme of your own, such as com.example.app:'
  if (!/^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+$/.test(scheme))
    return 'A scheme of your own is written small and has a dot in it, such as com.example.app:'
  if (!URL.canParse(uri)) return 'It is not a whole address, such as com.example.app:/callback.'
  return /^[^:]+:\/{0,2}[^/?]*@/.test(uri) ? 'Leave out the user name and password before the @.' : null
}
