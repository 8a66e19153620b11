import { type Block, plainText } from './blocks.ts'

export type Heading = { depth: number; id: string; text: string }

/** What the table of contents of a page lists. */
export function headingsOf(blocks: readonly Block[]): Heading[] {
  return blocks.flatMap((block) =>
    block.kind === 'heading' && block.depth <= 3
      ? [{ depth: block.depth, id: block.id, text: plainText(block.inside) }]
      : [],
  )
}
