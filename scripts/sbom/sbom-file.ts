import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { billOfMaterials } from './bill-of-materials.ts'
import type { LockFile } from './lock-file.ts'

/** Below docs, which is part of the image. */
export const SBOM_PATH = 'docs/sbom.cdx.json'

/** The file as the lock file has it now. */
export async function sbomFile(root: string): Promise<string> {
  const lock: LockFile = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const { name, version }: { name: string; version: string } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  return `${JSON.stringify(billOfMaterials({ name, version }, lock), null, 2)}\n`
}
