/**
 * The anchors of one page, made as the usual viewers of Markdown make them, so that a link to a heading leads there in the
 * repository as well as on the site.
 */
export function headingIds(): (text: string) => string {
  const given = new Map<string, number>()
  return (text) => {
    const id = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    const before = given.get(id) ?? 0
    given.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }
}
