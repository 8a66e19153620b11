/** The text without these characters at its end. A pattern such as `x+$` would look at a long text once for each `x` in it. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
