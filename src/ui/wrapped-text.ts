/**
 * Lines of at most so many characters. Drawings cannot wrap their texts, so it is done before they are drawn. A word that is
 * too long, such as an address, is broken behind a mark, and where there is none anywhere.
 */
export function wrapText(text: string, most: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/).flatMap((each) => pieces(each, most))) {
    const longer = word.follows || line === '' ? line + word.text : `${line} ${word.text}`
    if (line !== '' && longer.length > most) {
      lines.push(line)
      line = word.text
    } else line = longer
  }
  return [...lines, line]
}

/** `follows`: without a space, because it was one word. */
type Piece = { text: string; follows: boolean }

function pieces(word: string, most: number): Piece[] {
  if (word.length <= most) return [{ text: word, follows: false }]
  const parts = word.split(/(?<=[/?&,._-])/).flatMap((part) => part.match(new RegExp(`.{1,${most}}`, 'g')) ?? [])
  return parts.map((text, position) => ({ text, follows: position > 0 }))
}
