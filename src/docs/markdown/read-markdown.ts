import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type Block, type Inline, plainText } from './blocks.ts'
import { headingIds } from './heading-ids.ts'

export type ReadMarkdown = {
  blocks: Block[]
  /** What stands in the text and is not taken: raw HTML, pictures, entities. A test shows each; the site leaves it out. */
  refused: string[]
}

/** Markdown is taken apart by `marked`; what becomes of the parts is ours, and nothing of it is markup before the view makes it so. */
export function readMarkdown(source: string): ReadMarkdown {
  const reading: Reading = { refused: [], idFor: headingIds() }
  return { blocks: readBlocks(lexer(source), reading), refused: reading.refused }
}

type Reading = { refused: string[]; idFor: (text: string) => string }

const BLOCKS = ['space', 'heading', 'paragraph', 'text', 'list', 'table', 'code', 'blockquote', 'hr', 'html'] as const
const INLINES = ['text', 'escape', 'codespan', 'strong', 'em', 'link', 'br', 'html'] as const

function isOneOf<Type extends MarkedToken['type']>(
  types: readonly Type[],
  token: Token,
): token is Extract<MarkedToken, { type: Type }> {
  return types.some((type) => type === token.type)
}

function readBlocks(tokens: readonly Token[], reading: Reading): Block[] {
  return tokens.flatMap((token): Block[] => {
    if (!isOneOf(BLOCKS, token)) return refuse(token, reading)
    switch (token.type) {
      case 'space':
        return []
      case 'heading': {
        const inside = readInlines(token.tokens, reading)
        return [{ kind: 'heading', depth: token.depth, id: reading.idFor(plainText(inside)), inside }]
      }
      case 'paragraph':
        return [{ kind: 'paragraph', inside: readInlines(token.tokens, reading) }]
      case 'text':
        return [{ kind: 'line', inside: readInlines(token.tokens ?? [token], reading) }]
      case 'list':
        return [readList(token, reading)]
      case 'table':
        return [readTable(token, reading)]
      case 'code': {
        const [language = '', ...words] = (token.lang ?? '').split(/\s+/)
        return [{ kind: 'code', language, words, text: token.text }]
      }
      case 'blockquote':
        return [{ kind: 'quote', inside: readBlocks(token.tokens, reading) }]
      case 'hr':
        return [{ kind: 'rule' }]
      case 'html':
        return isComment(token.text) ? [] : refuse(token, reading)
    }
  })
}

function readList({ items, ordered, start }: Tokens.List, reading: Reading): Block {
  return {
    kind: 'list',
    start: ordered ? Number(start) : null,
    items: items.map((item) => readBlocks(item.tokens, reading)),
  }
}

function readTable({ header, rows }: Tokens.Table, reading: Reading): Block {
  const cell = ({ tokens }: Tokens.TableCell) => readInlines(tokens, reading)
  return { kind: 'table', columns: header.map(cell), rows: rows.map((cells) => cells.map(cell)) }
}

function readInlines(tokens: readonly Token[], reading: Reading): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    if (!isOneOf(INLINES, token)) return refuse(token, reading)
    switch (token.type) {
      case 'text':
        return readText(token, reading)
      case 'escape':
        return [{ kind: 'text', text: token.text }]
      case 'codespan':
        return [{ kind: 'code', text: token.text }]
      case 'strong':
        return [{ kind: 'strong', inside: readInlines(token.tokens, reading) }]
      case 'em':
        return [{ kind: 'emphasis', inside: readInlines(token.tokens, reading) }]
      case 'link':
        return [{ kind: 'link', href: token.href, inside: readInlines(token.tokens, reading) }]
      case 'br':
        return [{ kind: 'break' }]
      case 'html':
        return isComment(token.text) ? [] : refuse(token, reading)
    }
  })
}

/** An entity would be shown as it is written, so it is refused: the character itself can be written. */
function readText(token: Tokens.Text, reading: Reading): Inline[] {
  if (token.tokens !== undefined) return readInlines(token.tokens, reading)
  for (const [entity] of token.text.matchAll(/&(?:#?\w+);/g)) reading.refused.push(entity)
  return [{ kind: 'text', text: token.text }]
}

function refuse(token: Token, { refused }: Reading): [] {
  refused.push(token.raw.trim())
  return []
}

function isComment(text: string): boolean {
  return /^(?:\s*<!--[\s\S]*?-->\s*)+$/.test(text)
}
