import type { Page } from 'playwright-core'

/** What is read at a glance: here a word stands on one line, or the page has no room for it. */
const AT_A_GLANCE = 'h1, h2, h3, th, button, .button, .tag, label, legend, dt, nav a'
/** A longer word may break wherever it is: addresses, ids, and names that somebody chose. */
const LONGEST_WHOLE = 20
/** Elsewhere a word may go on over so many lines; more, and its column is squeezed. */
const MOST_LINES = 4
const LONGEST_JUDGED = 50

/** The words of a page that its layout breaks, though they are short enough to stand whole. */
export async function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const broken = []
    const range = document.createRange()
    const linesOf = (node, from, to) => {
      range.setStart(node, from)
      range.setEnd(node, to)
      return new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      if (linesOf(node, 0, node.length) < 2) continue
      const glance = node.parentElement.closest('${AT_A_GLANCE}') !== null
      for (const { 0: word, index } of node.data.matchAll(/[^\\s\\u00ad-]+/g)) {
        if (word.length > (glance ? ${LONGEST_WHOLE} : ${LONGEST_JUDGED})) continue
        const lines = linesOf(node, index, index + word.length)
        if (lines > (glance ? 1 : ${MOST_LINES})) broken.push(word + ', on ' + lines + ' lines')
      }
    }
    return broken
  })()`)
}
