const LONGEST = 500
const HIDDEN = '…'

/**
 * A redirect URI that was refused, fit to be kept and shown. Whoever sends the address of the current page instead of the
 * registered one sends a code or a token along, so values in query and fragment are left out unless they are registered too.
 */
export function shownUri(sent: string, registered: readonly string[]): string {
  const [, start = '', query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(sent) ?? []
  const known = new Set(registered.flatMap((uri) => queryOf(uri).split('&')))
  const pairs = query?.split('&').map((pair) => (known.has(pair) ? pair : withoutValue(pair)))
  const shown = [
    start.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, `$1${HIDDEN}@`),
    pairs === undefined ? '' : `?${pairs.join('&')}`,
    fragment === undefined ? '' : `#${fragment === '' ? '' : HIDDEN}`,
  ].join('')
  return plain(shown, LONGEST)
}

function withoutValue(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals === -1) return pair === '' ? '' : HIDDEN
  return `${pair.slice(0, equals)}=${equals === pair.length - 1 ? '' : HIDDEN}`
}

function queryOf(uri: string): string {
  return /\?([^#]*)/.exec(uri)?.[1] ?? ''
}

/** As much of a text as a page shows, without what cannot be stored or would make it look like another. */
export function plain(text: string, longest: number): string {
  const characters = Array.from(
    text
      .toWellFormed()
      .replaceAll(UNSEEN, '\u{fffd}')
      .slice(0, longest * 2),
  )
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}${HIDDEN}`
}

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
