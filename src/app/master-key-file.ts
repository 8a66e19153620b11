import { randomBytes } from 'node:crypto'
import { link, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MASTER_KEY_BYTES } from '../platform/cipher.ts'
import { makeFromDraft } from '../platform/draft-file.ts'
import { OperatorError } from '../platform/operator-error.ts'

/** Demo mode makes its own master key and keeps it, readable by nobody else, beside the data it opens (decision B4). */
export function masterKeyFile(dataFolder: string): string {
  return join(dataFolder, 'master.key')
}

export async function readMasterKey(dataFolder: string): Promise<Buffer | null> {
  const file = masterKeyFile(dataFolder)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new OperatorError(
      `The master key at ${file} cannot be read (${codeOf(error)}). Start as the account that made it.`,
    )
  }
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length === MASTER_KEY_BYTES) return key
  throw new OperatorError(`${file} does not hold a master key. Restore it: without it nothing encrypted can be read.`)
}

/** Two processes at the same moment end up with the same key: the first one's. */
export async function makeMasterKey(dataFolder: string): Promise<Buffer> {
  const file = masterKeyFile(dataFolder)
  try {
    // A link does not replace what is there, so the key of whoever was quicker stays.
    await makeFromDraft(file, `${randomBytes(MASTER_KEY_BYTES).toString('base64')}\n`, (draft) =>
      link(draft, file).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error
      }),
    )
  } catch (error) {
    throw new OperatorError(
      `The master key cannot be kept at ${file} (${codeOf(error)}). Make the folder writable or choose another with HANDOVER_DATA_DIR.`,
    )
  }
  const key = await readMasterKey(dataFolder)
  if (key === null) throw new OperatorError(`The master key at ${file} vanished while it was made. Start again.`)
  return key
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
