/** A block of code in a Markdown file, as it would be copied out of it. */
export type FencedBlock = {
  /** Of its fence, counted from 1. */
  line: number
  language: string
  /** What stands behind the language. */
  words: string[]
  text: string
  /** The reason of `<!-- not run: … -->` in the line above it. */
  notRun: string | null
}

const FENCE = /^( *)(`{3,})(.*)$/
const NOT_RUN = /^ *<!-- not run: (.+) -->$/

export function fencedBlocks(markdown: string): FencedBlock[] {
  const lines = markdown.split('\n')
  const blocks: FencedBlock[] = []
  for (let position = 0; position < lines.length; position += 1) {
    const [, indent = '', fence, info = ''] = FENCE.exec(lines[position] ?? '') ?? []
    if (fence === undefined) continue
    const start = position
    const isEnd = (line: string | undefined) => line === undefined || line.trim() === fence
    while (!isEnd(lines[position + 1])) position += 1
    const inside = lines
      .slice(start + 1, position + 1)
      .map((line) => line.replace(new RegExp(`^ {0,${indent.length}}`), ''))
    position += 1
    const [language = '', ...words] = info.trim().split(/\s+/)
    const notRun = NOT_RUN.exec(lines[start - 1] ?? '')?.[1] ?? null
    blocks.push({ line: start + 1, language, words, text: inside.join('\n'), notRun })
  }
  return blocks
}
