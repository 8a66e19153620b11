import { type Block, type Inline, plainText } from '../markdown/blocks.ts'
import { readMarkdown } from '../markdown/read-markdown.ts'

/** One page of the documentation. `path` is its place under `docs/pages` and under `/docs`. */
export type Page = {
  path: string
  title: string
  /** The one sentence below the title. */
  description: Inline[]
  /** What follows it. */
  blocks: Block[]
  source: string
}

export function readPage(path: string, source: string): Page {
  const { blocks } = readMarkdown(source)
  const [title, description, ...rest] = blocks
  const isDescribed = description?.kind === 'paragraph'
  return {
    path,
    title: title?.kind === 'heading' ? plainText(title.inside) : path,
    description: isDescribed ? description.inside : [],
    blocks: isDescribed ? rest : blocks.slice(1),
    source,
  }
}
