import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesUnder } from '../house/source-files.ts'

export const repository = join(import.meta.dirname, '../..')

/** One file of documentation: its path from the root of the repository, and its text. */
export type DocumentationFile = { path: string; text: string }

/** Those at the root, and whatever is Markdown in these folders. */
export async function documentationFiles(root: string): Promise<DocumentationFile[]> {
  const inFolders = await Promise.all(['docs', 'deploy', 'bench'].map((folder) => filesUnder(root, folder)))
  const paths = [...(await readdir(root)), ...inFolders.flat()]
  return readAll(
    root,
    paths.filter((path) => path.endsWith('.md')),
  )
}

/** Those with samples that run: the pages, the README, and the guides that are not pages. */
export async function filesWithSamples(root: string): Promise<DocumentationFile[]> {
  const all = await documentationFiles(root)
  return all.filter(({ path }) => path === 'README.md' || /^docs\/(?:pages|guides)\//.test(path))
}

function readAll(root: string, paths: readonly string[]): Promise<DocumentationFile[]> {
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })))
}
