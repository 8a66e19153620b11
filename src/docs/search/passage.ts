import { type Block, plainText, textOfBlock } from '../markdown/blocks.ts'
import type { Page } from '../pages/page.ts'

/** A part of a page that can be found: what stands under one heading. */
export type Passage = { href: string; page: string; heading: string; text: string; code: string }

export function passagesOf({ path, title, description, blocks }: Page): Passage[] {
  const first: Passage = { href: `/docs/${path}`, page: title, heading: '', text: plainText(description), code: '' }
  const passages = [first]
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const heading = plainText(block.inside)
      passages.push({ href: `/docs/${path}#${block.id}`, page: title, heading, text: '', code: '' })
    } else addTo(passages.at(-1), block)
  }
  return passages
}

/** What is drawn is said in the text around it. */
function addTo(passage: Passage | undefined, block: Block): void {
  if (passage === undefined) return
  if (block.kind !== 'code') passage.text += ` ${textOfBlock(block)}`
  else if (block.language !== 'mermaid') passage.code += ` ${block.text}`
}
