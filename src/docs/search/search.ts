import type { Passage } from './passage.ts'

export type Hit = Passage & { excerpt: Excerpt }

/** The words that were looked for are every second part. */
export type Excerpt = readonly string[]

const MOST_WORDS = 8
const MOST_HITS = 20
const AROUND = 90
/** What a word is worth by where it is found; in the text by how often, up to a limit. */
const WORTH = { page: 8, heading: 6, text: 1, textAtMost: 4, code: 1 }

/** Those that have every word, the most telling first. */
export function search(passages: readonly Passage[], sought: string): Hit[] {
  const words = wordsOf(sought)
  if (words.length === 0) return []
  return passages
    .map((passage) => ({ passage, worth: worthOf(passage, words) }))
    .filter(({ worth }) => worth > 0)
    .toSorted((one, other) => other.worth - one.worth)
    .slice(0, MOST_HITS)
    .map(({ passage }) => ({ ...passage, excerpt: excerptOf(passage, words) }))
}

/** Each finds words that begin with it: `secret` finds `secrets`, and `at` does not find `what`. */
function wordsOf(sought: string): RegExp[] {
  const words = new Set(sought.toLowerCase().match(/[\p{Letter}\p{Number}_][\p{Letter}\p{Number}_.]*/gu))
  return [...words].slice(0, MOST_WORDS).map((word) => new RegExp(BEGINS + RegExp.escape(word), 'giu'))
}

const BEGINS = '(?<![\\p{Letter}\\p{Number}])'

function worthOf({ page, heading, text, code }: Passage, words: readonly RegExp[]): number {
  let worth = 0
  for (const word of words) {
    const found =
      (heading === '' && has(page, word) ? WORTH.page : 0) +
      (has(heading, word) ? WORTH.heading : 0) +
      Math.min(WORTH.textAtMost, text.match(word)?.length ?? 0) * WORTH.text +
      (has(code, word) ? WORTH.code : 0)
    if (found === 0 && !has(page, word)) return 0
    worth += found
  }
  return worth
}

function has(text: string, word: RegExp): boolean {
  return text.search(word) >= 0
}

/** The surroundings of the first word that is there, in sentences rather than in code. */
function excerptOf({ text, code }: Passage, words: readonly RegExp[]): Excerpt {
  const isInText = words.some((word) => has(text, word)) || code === ''
  const plain = (isInText ? text : code).replaceAll(/\s+/g, ' ').trim()
  const places = words.map((word) => plain.search(word)).filter((place) => place >= 0)
  const middle = places.length === 0 ? 0 : Math.min(...places)
  const start = Math.max(0, middle - AROUND)
  const end = middle + 2 * AROUND
  const any = new RegExp(`(${words.map(({ source }) => source).join('|')})`, 'giu')
  return `${start > 0 ? '… ' : ''}${plain.slice(start, end)}${end < plain.length ? ' …' : ''}`.split(any)
}
