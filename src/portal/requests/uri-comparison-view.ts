import { closestUri, type Difference, type Piece } from '../../domain/requests/closest-uri.ts'
import { html, type Markup } from '../../ui/html.ts'

const WORDS: Record<Difference, string> = {
  scheme: 'the scheme',
  www: '“www.” at the front',
  host: 'the host',
  port: 'the port',
  'letter-case': 'upper and lower case',
  'slash-added': 'a slash too many at the end',
  'slash-missing': 'the slash at the end is missing',
  path: 'the path',
  query: 'the query',
  fragment: 'a fragment, which is never allowed',
}

/**
 * The address that was sent above the registered one that it is most like, as they are now, with the difference marked; and
 * the way to where it is mended.
 */
export function uriComparison(sent: string, registered: readonly string[], link: Markup | null): Markup {
  const closest = registered.includes(sent) ? null : closestUri(sent, registered)
  return html`<dl class="uris">${line('Sent', closest?.sent ?? [{ text: sent, differs: false }])}${
    closest !== null && line('Registered', closest.registered)
  }</dl>
<p class="hint">${closest === null ? unlike(sent, registered) : inWords(closest.differences)} ${link}</p>`
}

function inWords(differences: readonly Difference[]): string {
  return `What differs: ${differences.map((difference) => WORDS[difference]).join(', ')}.`
}

function unlike(sent: string, registered: readonly string[]): string {
  if (registered.includes(sent)) return 'It is registered now.'
  return registered.length === 0 ? 'None is registered.' : 'None of the registered ones is like it.'
}

function line(name: string, pieces: readonly Piece[]): Markup {
  return html`<div><dt>${name}</dt><dd><code>${pieces.map(({ text, differs }) => (differs ? html`<mark>${text}</mark>` : text))}</code></dd></div>`
}
