import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Makes a file that only its owner may read, whole or not at all: the text is written and synced beside it, then `put` moves
 * it to its name, and both survive a power cut. A draft whose process was killed is removed by the next.
 */
export async function makeFromDraft(file: string, text: string, put: (draft: string) => Promise<void>): Promise<void> {
  const folder = dirname(file)
  const draft = `${file}.${process.pid}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeAbandonedDrafts(file)
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    await put(draft)
    await syncFolder(folder)
  } finally {
    await rm(draft, { force: true })
  }
}

async function removeAbandonedDrafts(file: string): Promise<void> {
  const folder = dirname(file)
  for (const name of await readdir(folder)) {
    const maker = name.startsWith(`${basename(file)}.`) ? name.slice(basename(file).length + 1) : ''
    if (/^\d+$/.test(maker) && !isAnother(Number(maker))) await rm(join(folder, name), { force: true })
  }
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
