import { type Block, plainText } from '../../src/docs/markdown/blocks.ts'
import { LANGUAGES } from '../../src/docs/markdown/code-view.ts'
import { readMarkdown } from '../../src/docs/markdown/read-markdown.ts'
import { PAGE_PATHS } from '../../src/docs/pages/contents.ts'
import { readSequenceDiagram } from '../../src/ui/sequence-diagram.ts'
import { filesUnder } from '../house/source-files.ts'
import { type DocumentationFile, documentationFiles } from './documentation-files.ts'

const FOLDER = 'docs/pages/'

/** One line for each page that is missing, is not in the contents, or is not written as the site shows it. */
export async function pageFaults(root: string, listed: readonly string[] = PAGE_PATHS): Promise<string[]> {
  const files = (await documentationFiles(root)).filter(({ path }) => path.startsWith(FOLDER))
  const there = files.map(({ path }) => path.slice(FOLDER.length).replace(/\.md$/, ''))
  const others = (await filesUnder(root, FOLDER)).filter((path) => !path.endsWith('.md'))
  return [
    ...listed
      .filter((path) => !there.includes(path))
      .map((path) => `${FOLDER}${path}.md: in the contents, but missing`),
    ...there
      .filter((path) => !listed.includes(path))
      .map((path) => `${FOLDER}${path}.md: not in src/docs/pages/contents.ts`),
    ...others.map((path) => `${path}: no page`),
    ...files.flatMap(faultsOfPage),
  ]
}

function faultsOfPage({ path, text }: DocumentationFile): string[] {
  const { blocks, refused } = readMarkdown(text)
  const [title, description, ...rest] = blocks
  const hasTitle = text.startsWith('# ') && title?.kind === 'heading'
  return [
    ...(hasTitle ? [] : ['the first line must be its title: # …']),
    ...(description?.kind === 'paragraph' && isOneSentence(plainText(description.inside))
      ? []
      : ['below the title one sentence must say what the page is about']),
    ...(rest.some((block) => block.kind === 'heading' && block.depth === 1) ? ['it has a second title'] : []),
    ...skippedLevels(blocks),
    ...refused.map((raw) => `this is not taken: ${raw}`),
    ...blocks.flatMap(faultsOfBlock),
  ].map((fault) => `${path}: ${fault}`)
}

function isOneSentence(text: string): boolean {
  return /[.?]$/.test(text) && !/[.?!]\s+\p{Lu}/u.test(text)
}

/** Who has headings read out expects one below a second level to be of the third. */
function skippedLevels(blocks: readonly Block[]): string[] {
  const headings = blocks.filter((block) => block.kind === 'heading')
  return headings.flatMap(({ depth, inside }, position) => {
    const before = headings[position - 1]?.depth ?? 0
    return depth > before + 1 ? [`the heading “${plainText(inside)}” skips a level`] : []
  })
}

function faultsOfBlock(block: Block): string[] {
  if (block.kind === 'list') return block.items.flat().flatMap(faultsOfBlock)
  if (block.kind === 'quote') return block.inside.flatMap(faultsOfBlock)
  if (block.kind !== 'code') return []
  if (block.language !== 'mermaid')
    return block.language in LANGUAGES ? [] : [`the site has no name for the language “${block.language}”`]
  const read = readSequenceDiagram(block.text)
  return read.kind === 'diagram' ? [] : [`the picture cannot be drawn at “${read.line}”: ${read.why}`]
}
