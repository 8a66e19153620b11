import { stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type Block, linksIn } from '../../src/docs/markdown/blocks.ts'
import { readMarkdown } from '../../src/docs/markdown/read-markdown.ts'
import { type DocumentationFile, documentationFiles } from './documentation-files.ts'

export type CheckedLinks = {
  faults: string[]
  /** Addresses of others. They are never dialled. */
  outside: string[]
}

/** Pages of which the site shows more than the file has: their anchors are looked for on the site (test/docs/site.test.ts). */
const GENERATED: readonly string[] = ['docs/pages/reference.md', 'docs/pages/reference/platform.md']

/** Every link of the documentation, as it is followed in the repository: files and anchors. */
export async function checkLinks(root: string): Promise<CheckedLinks> {
  const files = await documentationFiles(root)
  const read = new Map(files.map((file) => [file.path, readMarkdown(file.text).blocks]))
  const faults: string[] = []
  const outside = new Set<string>()
  for (const file of files)
    for (const href of linksIn(read.get(file.path) ?? [])) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(href)) {
        outside.add(href)
        if (!href.startsWith('https://')) faults.push(`${file.path}: ${href} is not https`)
      } else {
        const fault = await faultOfLink(root, file, href, read)
        if (fault !== null) faults.push(`${file.path}: ${href} ${fault}`)
      }
    }
  return { faults, outside: [...outside].toSorted() }
}

async function faultOfLink(
  root: string,
  { path }: DocumentationFile,
  href: string,
  read: ReadonlyMap<string, Block[]>,
): Promise<string | null> {
  if (href.startsWith('/')) return 'leads nowhere in the repository; link the file'
  const [file = '', anchor] = href.split('#')
  const target = file === '' ? path : posix.join(posix.dirname(path), file)
  if (target.startsWith('..')) return 'leaves the repository'
  const found = await stat(join(root, target)).catch(() => null)
  if (found === null) return 'does not exist'
  if (anchor === undefined || GENERATED.includes(target)) return null
  const blocks = read.get(target)
  return blocks === undefined || anchorsIn(blocks).includes(anchor) ? null : 'has no such heading'
}

function anchorsIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []))
}
