/** For a shell: nothing in it is read as anything but itself. What somebody registered must not run on a colleague's machine. */
export function shellQuoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** A string literal, in ASCII, that JavaScript and Python read alike. */
export function codeQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
