import type { DocumentationFile } from './documentation-files.ts'
import { type FencedBlock, fencedBlocks } from './fenced-blocks.ts'

/** Run in the page's shell, or as a file of their own beside it. */
export const RUN: readonly string[] = ['sh', 'js', 'python']
/** What came out, or what is drawn: nothing to run. */
const SHOWN: readonly string[] = ['json', 'text', 'http', 'mermaid']
/** Run by test/docs/verify-samples.test.ts, with the vectors of every language. */
const VERIFY = { path: 'docs/pages/webhooks/verify.md', word: 'verify' }

/** A block that no test runs: where it stands, how it begins, and why. */
export type NotRun = { path: string; first: string; reason: string }

export function blocksToRun({ path, text }: DocumentationFile): FencedBlock[] {
  return fencedBlocks(text).filter(
    (block) => RUN.includes(block.language) && block.notRun === null && !isVerified(path, block),
  )
}

export function blocksNotRun({ path, text }: DocumentationFile): NotRun[] {
  return fencedBlocks(text).flatMap(({ notRun, text: code }) =>
    notRun === null ? [] : [{ path, first: code.split('\n').find((line) => line.trim() !== '') ?? '', reason: notRun }],
  )
}

/** One line for each block that would be neither run nor shown for what it is. */
export function sampleFaults({ path, text }: DocumentationFile): string[] {
  return fencedBlocks(text).flatMap((block) => {
    const fault = faultOf(path, block)
    return fault === null ? [] : [`${path}:${block.line}: ${fault}`]
  })
}

function faultOf(path: string, block: FencedBlock): string | null {
  const { language, words, text, notRun } = block
  if (words.length > 0 && !isVerified(path, block)) return `"${words.join(' ')}" behind the language means nothing`
  if (notRun !== null && SHOWN.includes(language)) return 'it says why it is not run, but nobody would run it'
  if (language === 'json') return isJson(text) ? null : 'this is no JSON'
  if (RUN.includes(language) || SHOWN.includes(language) || isVerified(path, block) || notRun !== null) return null
  if (language === '') return 'it has no language; output is `text`'
  return `no test runs ${language}; give the reason in a line above it: <!-- not run: … -->`
}

function isVerified(path: string, { words }: FencedBlock): boolean {
  return path === VERIFY.path && words.length === 1 && words[0] === VERIFY.word
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
