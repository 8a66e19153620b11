import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A text, or whatever writes into the file that is given to it. */
type Content = string | ((draft: FileHandle) => Promise<void>)

/** Not a number alone behind the name: such are the copies that people keep of a file (`backup.1`, `backup.20261115`). */
const MARK = '.draft-'

/**
 * Makes a file that only its owner may read, whole or not at all: the content is written and synced beside it, then `put`
 * moves it to its name, and both survive a power cut. A draft whose process was killed is removed by the next.
 */
export async function makeFromDraft(
  file: string,
  content: Content,
  put: (draft: string) => Promise<void>,
): Promise<void> {
  const folder = dirname(file)
  const draft = `${file}${MARK}${process.pid}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeAbandonedDrafts(file)
  try {
    await writeDraft(draft, content)
    await put(draft)
    await syncFolder(folder)
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(draft: string, content: Content): Promise<void> {
  const handle = await open(draft, 'wx', 0o600)
  try {
    if (typeof content === 'string') await handle.writeFile(content)
    else await content(handle)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function removeAbandonedDrafts(file: string): Promise<void> {
  const folder = dirname(file)
  for (const name of await readdir(folder)) {
    const maker = makerOf(name, file)
    if (maker !== null && !isAnother(maker)) await rm(join(folder, name), { force: true })
  }
}

/** The process that made this name as a draft of the file; null when it is no such draft. */
export function makerOf(name: string, file: string): number | null {
  const start = `${basename(file)}${MARK}`
  const maker = name.startsWith(start) ? name.slice(start.length) : ''
  return /^\d+$/.test(maker) ? Number(maker) : null
}

/** Whether it is a live process, and not ourselves under a number that was used before. */
function isAnother(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
