/** A name as people type it, in one form; null when there is nothing in it. */
export function tidy(text: string | null): string | null {
  return text?.normalize('NFC').trim().replaceAll(/ {2,}/g, ' ') || null
}

/** Control and direction characters have no place in a name: they could make it look like another. */
export function textFault(text: string | null, longest: number): string | null {
  if (text === null) return null
  if (Array.from(text).length > longest) return `Use at most ${longest} characters.`
  return /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)
    ? 'This has characters in it that cannot be shown.'
    : null
}
