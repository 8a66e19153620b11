import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFromDraft } from '../../platform/draft-file.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { DemoValues } from './demo-values.ts'

export function demoEnvFile(dataFolder: string): string {
  return join(dataFolder, 'demo.env')
}

/** A file for `. data/demo.env`, readable by its owner only; the values need no quoting. Replaced whole, never half. */
export async function writeDemoEnv(dataFolder: string, values: DemoValues): Promise<void> {
  const file = demoEnvFile(dataFolder)
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`)
  try {
    await makeFromDraft(file, lines.join(''), (draft) => rename(draft, file))
  } catch {
    throw new OperatorError(
      `${file} cannot be written. Make the folder writable or choose another with HANDOVER_DATA_DIR.`,
    )
  }
}
