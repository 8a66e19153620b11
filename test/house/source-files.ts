import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** The paths of all files under a folder of the repository, from its root, with slashes; none when there is no such folder. */
export async function filesUnder(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('node_modules/'))
    .toSorted()
}
