/** A piece of an address; `differs` when the other one has something else in its place. */
export type Piece = { text: string; differs: boolean }

/** The registered address that was most likely meant, and where the one that was sent departs from it. */
export type ClosestUri = { uri: string; sent: Piece[]; registered: Piece[]; differences: Difference[] }

/** In the order in which they stand in an address. */
export type Difference =
  | 'scheme'
  | 'www'
  | 'host'
  | 'port'
  | 'letter-case'
  | 'slash-added'
  | 'slash-missing'
  | 'path'
  | 'query'
  | 'fragment'

/**
 * Addresses are compared letter by letter (decision B8), so what is wrong is often hard to see. Null when nothing registered
 * is like it at all: then there is nothing to learn from a comparison.
 */
export function closestUri(sent: string, registered: readonly string[]): ClosestUri | null {
  const ranked = registered
    .map((uri) => ({ uri, distance: distanceOf(sent, uri) }))
    .toSorted((one, other) => one.distance - other.distance)
  const [best] = ranked
  if (best === undefined || best.distance > Math.max(sent.length, best.uri.length) / 2) return null
  const pairs = partsOf(sent).map((part, position): [string, string] => [part, partsOf(best.uri)[position] ?? ''])
  return {
    uri: best.uri,
    sent: joined(pairs.map(([ours, theirs]) => piecesOf(ours, theirs))),
    registered: joined(pairs.map(([ours, theirs]) => piecesOf(theirs, ours))),
    differences: [...new Set(pairs.flatMap(([ours, theirs], position) => differenceIn(position, ours, theirs)))],
  }
}

const [SCHEME, HOST, PORT, PATH, QUERY] = [0, 1, 2, 3, 4]

/** Scheme, host, port, path, query, fragment, each with the characters that begin or end it: together they are the address. */
function partsOf(uri: string): string[] {
  const parts = /^(https?:\/\/|[^:/?#]*:)?([^/?#:]*)(:\d*)?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(uri)
  return parts === null ? ['', '', '', uri, '', ''] : parts.slice(1).map((part) => part ?? '')
}

function differenceIn(position: number, sent: string, registered: string): Difference[] {
  if (sent === registered) return []
  if (sent.toLowerCase() === registered.toLowerCase()) return ['letter-case']
  switch (position) {
    case SCHEME:
      return ['scheme']
    case HOST:
      return [sent === `www.${registered}` || registered === `www.${sent}` ? 'www' : 'host']
    case PORT:
      return ['port']
    case PATH:
      if (sent === `${registered}/`) return ['slash-added']
      return [registered === `${sent}/` ? 'slash-missing' : 'path']
    case QUERY:
      return ['query']
    default:
      return ['fragment']
  }
}

/** What is the same at both ends is left unmarked. */
function piecesOf(part: string, other: string): Piece[] {
  const start = sameStart(part, other)
  const end = sameEnd(part.slice(start), other.slice(start))
  return [
    { text: part.slice(0, start), differs: false },
    { text: part.slice(start, part.length - end), differs: true },
    { text: part.slice(part.length - end), differs: false },
  ]
}

/** Neighbours of one kind become one piece, and empty ones go. */
function joined(pieces: readonly Piece[][]): Piece[] {
  return pieces.flat().reduce<Piece[]>((done, piece) => {
    const last = done.at(-1)
    if (piece.text === '') return done
    if (last?.differs !== piece.differs) return [...done, piece]
    return [...done.slice(0, -1), { text: last.text + piece.text, differs: piece.differs }]
  }, [])
}

function sameStart(one: string, other: string): number {
  let length = 0
  while (length < Math.min(one.length, other.length) && one[length] === other[length]) length += 1
  // The second half of a surrogate pair is never split from its first.
  return /[\ud800-\udbff]$/.test(one.slice(0, length)) ? length - 1 : length
}

function sameEnd(one: string, other: string): number {
  let length = 0
  while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length)) length += 1
  return /^[\udc00-\udfff]/.test(one.slice(one.length - length)) ? length - 1 : length
}

/** Longer stretches than this are not compared letter by letter: the number of letters says enough. */
const LONGEST_COMPARED = 64

/** How many letters have to be changed, added or taken away to make one of the other (Levenshtein). */
function distanceOf(one: string, other: string): number {
  const start = sameStart(one, other)
  const end = sameEnd(one.slice(start), other.slice(start))
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  if (Math.max(left.length, right.length) > LONGEST_COMPARED) return Math.max(left.length, right.length)
  // One line of the table, written over in place: a page compares thousands of pairs.
  const line = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 0; row < left.length; row += 1) {
    let diagonal = row
    line[0] = row + 1
    for (let column = 0; column < right.length; column += 1) {
      const above = line[column + 1] ?? 0
      const changed = diagonal + (left.charCodeAt(row) === right.charCodeAt(column) ? 0 : 1)
      line[column + 1] = Math.min(changed, above + 1, (line[column] ?? 0) + 1)
      diagonal = above
    }
  }
  return line.at(-1) ?? 0
}
