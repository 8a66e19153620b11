import { GUESSABLE } from './guessable-passwords.ts'
import { foldLogin } from './user.ts'

export const SHORTEST_PASSWORD = 8
export const LONGEST_PASSWORD = 128

/** A shorter name is part of too many words to be a reason. */
const SHORTEST_NAME = 4

/** What is wrong with a password somebody chooses, in words for them; null when nothing is (decision B18). */
export function passwordFault(
  password: string | null,
  owner: { email: string | null; username: string | null },
): string | null {
  // Counted and compared in the form in which it is hashed.
  const chosen = (password ?? '').normalize('NFKC')
  if (chosen === '') return 'Choose a password.'
  const length = Array.from(chosen).length
  if (length < SHORTEST_PASSWORD) return `Use at least ${SHORTEST_PASSWORD} characters.`
  if (length > LONGEST_PASSWORD) return `Use at most ${LONGEST_PASSWORD} characters.`
  const folded = chosen.toLowerCase()
  if (namesOf(owner).some((name) => folded.includes(name)))
    return 'Your e-mail address or username is in it. Choose something that others cannot guess.'
  if (isGuessable(folded)) return 'That is one of the passwords that are guessed first. Choose another.'
  return null
}

function namesOf({ email, username }: { email: string | null; username: string | null }): string[] {
  const address = foldLogin(email ?? '')
  const names = [address, address.split('@', 1)[0] ?? '', foldLogin(username ?? '')]
  return names.filter((name) => name.length >= SHORTEST_NAME)
}

function isGuessable(folded: string): boolean {
  const unit = repeatedUnit(folded)
  const bare = folded.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return (
    unit.length < SHORTEST_NAME ||
    isRun(folded) ||
    // Dates and phone numbers.
    (folded.length < 12 && /^[\d ()+./:-]+$/.test(folded)) ||
    [folded, unit, bare, lettersFor(folded), lettersFor(bare)].some((word) => GUESSABLE.has(word))
  )
}

/** `abcabcabc` is `abc`. */
function repeatedUnit(text: string): string {
  return /^(.+?)\1+$/su.exec(text)?.[1] ?? text
}

/** Each character follows the one before: `12345678`, `hgfedcba`. */
function isRun(text: string): boolean {
  const codes = Array.from(text).map((character) => character.codePointAt(0) ?? 0)
  const steps = new Set(codes.slice(1).map((code, position) => code - (codes[position] ?? 0)))
  return steps.size === 1 && (steps.has(1) || steps.has(-1))
}

const LETTERS: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i' }

/** `p@ssw0rd` is `password`, and so is `p@ssw0rd99!`. */
function lettersFor(folded: string): string {
  return folded.replace(/[^\p{L}@$]+$/u, '').replaceAll(/[013457@$!]/g, (mark) => LETTERS[mark] ?? mark)
}
