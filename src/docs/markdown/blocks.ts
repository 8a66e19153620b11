/** A page as we understand it: the few things that a page may be made of, so that nothing else can find its way into the site. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; inside: Inline[] }
  | { kind: 'emphasis'; inside: Inline[] }
  | { kind: 'link'; href: string; inside: Inline[] }
  | { kind: 'break' }

export type Block =
  | { kind: 'heading'; depth: number; id: string; inside: Inline[] }
  | { kind: 'paragraph'; inside: Inline[] }
  /** Text of a list's item that is no paragraph of its own. */
  | { kind: 'line'; inside: Inline[] }
  | { kind: 'list'; start: number | null; items: Block[][] }
  | { kind: 'table'; columns: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; language: string; words: string[]; text: string }
  | { kind: 'quote'; inside: Block[] }
  | { kind: 'rule' }

export function plainText(inside: readonly Inline[]): string {
  return inside
    .map((part) => {
      switch (part.kind) {
        case 'text':
        case 'code':
          return part.text
        case 'break':
          return ' '
        case 'strong':
        case 'emphasis':
        case 'link':
          return plainText(part.inside)
      }
    })
    .join('')
}

/** Every text of a block, those inside it included, one after the other. */
export function textOfBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
    case 'line':
      return plainText(block.inside)
    case 'list':
      return block.items.flat().map(textOfBlock).join(' ')
    case 'table':
      return [block.columns, ...block.rows].map((cells) => cells.map(plainText).join(' ')).join(' ')
    case 'code':
      return block.text
    case 'quote':
      return block.inside.map(textOfBlock).join(' ')
    case 'rule':
      return ''
  }
}

/** Every link of the blocks, in their order. */
export function linksIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case 'heading':
      case 'paragraph':
      case 'line':
        return linksOf(block.inside)
      case 'list':
        return linksIn(block.items.flat())
      case 'table':
        return [block.columns, ...block.rows].flat().flatMap(linksOf)
      case 'quote':
        return linksIn(block.inside)
      case 'code':
      case 'rule':
        return []
    }
  })
}

function linksOf(inside: readonly Inline[]): string[] {
  return inside.flatMap((part) => {
    if (part.kind === 'link') return [part.href, ...linksOf(part.inside)]
    return part.kind === 'strong' || part.kind === 'emphasis' ? linksOf(part.inside) : []
  })
}
