import { fstatSync } from 'node:fs'
import { access, type FileHandle, link, lstat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makeFromDraft } from '../../platform/draft-file.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Sink } from '../../platform/transfer/frames.ts'

type Write = (sink: Sink, isPiped: boolean) => Promise<void>

/** Node waits for a pipe that is full, so that nothing piles up here. */
export async function intoStandardOutput(write: Write): Promise<void> {
  await write(
    (bytes) =>
      new Promise((written, failed) => {
        process.stdout.write(bytes, (error) =>
          error
            ? failed(
                new OperatorError(
                  `The export cannot be written any further (${codeOf(error)}): whoever was to take it is gone, or has no room left. What was written is not whole, and no import takes it.`,
                ),
              )
            : written(),
        )
      }),
    fstatSync(process.stdout.fd).isFIFO(),
  )
}

/** Under another name until it is whole; what bears the name already stays as it is. */
export async function intoFile(name: string, write: Write): Promise<void> {
  const file = resolve(name)
  await requireFree(file)
  try {
    await makeFromDraft(
      file,
      (draft) => write(fileSink(draft), false),
      (draft) => link(draft, file),
    )
  } catch (error) {
    // Somebody was quicker.
    if (codeOf(error) === 'EEXIST') throw isTaken(file)
    throw isOfFiles(error)
      ? new OperatorError(`The export cannot be written to ${file} (${codeOf(error)}). There is no such file now.`)
      : error
  }
}

function fileSink(handle: FileHandle): Sink {
  return async (bytes) => {
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten
  }
}

async function requireFree(file: string): Promise<void> {
  try {
    await access(dirname(file))
  } catch {
    throw new OperatorError(`There is no folder ${dirname(file)} to write the export to.`)
  }
  // Also a link that leads nowhere.
  const isThere = await lstat(file).then(
    () => true,
    () => false,
  )
  if (isThere) throw isTaken(file)
}

function isTaken(file: string): OperatorError {
  return new OperatorError(`${file} is there already: an export overwrites nothing. Choose another name.`)
}

function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && /^(E[A-Z]+)$/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
