import { isIP } from 'node:net'
import { isLoopbackHost } from '../loopback.ts'
import { refusalOf } from './global-address.ts'

export type TargetRules = { loopbackAllowed: boolean }

export type Target = { url: URL } | { refused: string }

const MOST_CHARACTERS = 2048
const LONGEST_NAME = 253
const label = /^[a-z0-9_-]{1,63}$/
const localNames = /(?:^|\.)(localhost|local|internal|home\.arpa)$/

/**
 * What a URL has to look like before we call it (decision C9). What the URL parser would mend in silence is refused, so
 * that nobody who reads the same text, a person or a log, sees another host than we do. The addresses behind a name are
 * judged later, at every connection.
 */
export function readTarget(text: string, rules: TargetRules): Target {
  const asWritten = refusalOfText(text)
  if (asWritten !== null) return { refused: asWritten }
  const url = URL.parse(text)
  if (url === null) return { refused: 'This is not a URL; write one such as https://example.com/path.' }
  const refused = url.href.length > MOST_CHARACTERS ? tooLong : refusalOfParts(url, rules)
  return refused === null ? { url } : { refused }
}

const tooLong = `The URL is too long; use at most ${MOST_CHARACTERS} characters, counted after encoding.`

/** What can only be seen in the text, because the parser takes it away. */
function refusalOfText(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return tooLong
  if (!text.isWellFormed()) return 'The URL has half a character (a lone surrogate) in it; take it out.'
  // oxlint-disable-next-line no-control-regex -- they are what we look for
  if (/[\u0000-\u0020\u007f-\u009f]/.test(text))
    return 'The URL has a space, a line break or another control character in it; take it out, or write a space as %20.'
  if (text.includes('\\')) return 'The URL has a backslash in it; write / or %5C.'
  if (text.includes('#')) return 'The URL has a fragment; leave out # and what follows it.'
  const authority = /^https?:\/\/([^/?]+)/i.exec(text)?.[1]
  if (authority === undefined) return 'The URL must begin with https:// and a host.'
  if (authority.includes('@')) return 'The URL has a user name or password in it; leave out what stands before the @.'
  return null
}

function refusalOfParts(url: URL, { loopbackAllowed }: TargetRules): string | null {
  if (url.port === '0') return 'Port 0 cannot be called; use another port.'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (loopbackAllowed && isLoopbackHost(host)) return null
  if (url.protocol !== 'https:')
    return `The URL must begin with https://${loopbackAllowed ? ', unless it is for localhost' : ''}.`
  return isIP(host) === 0 ? refusalOfName(host) : refusalOfLiteral(host)
}

function refusalOfLiteral(address: string): string | null {
  const reason = refusalOf(address)
  return reason === null ? null : `${address} ${reason}; use a host that can be reached from the internet.`
}

function refusalOfName(name: string): string | null {
  if (name.endsWith('.')) return 'The host ends with a dot; leave it out.'
  const labels = name.split('.')
  if (name.length > LONGEST_NAME || !labels.every((each) => label.test(each)))
    return 'The host is not a host name; check its spelling.'
  if (localNames.test(name))
    return `${name} is a name in a local network; use a host that can be reached from the internet.`
  if (labels.length === 1) return `${name} has no domain; use a full host name such as ${name}.example.com.`
  return null
}
