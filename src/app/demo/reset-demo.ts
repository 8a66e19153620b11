import { readdir, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makerOf } from '../../platform/draft-file.ts'
import { removeEmbeddedPostgres } from '../../platform/embedded-postgres/remove.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Config } from '../config.ts'
import { masterKeyFile } from '../master-key-file.ts'
import { demoEnvFile } from './demo-env-file.ts'

/**
 * Takes away what a demo made, and nothing else that lies in its folder. Only a demo writes `demo.env`, so that is what tells
 * its folder from a deployment's; it goes last, so that a reset that was killed can be done again.
 */
export async function resetDemo({ dataFolder, databaseUrl }: Config, say: (line: string) => void): Promise<void> {
  if (databaseUrl !== null)
    throw new OperatorError('DATABASE_URL is set, and only the embedded database of a demo is taken away. Unset it.')
  const names = await readdir(dataFolder).catch((error: unknown): string[] => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new OperatorError(`The data folder ${dataFolder} cannot be read. Correct HANDOVER_DATA_DIR.`)
  })
  if (names.length === 0) return say(`There is no demo in ${dataFolder}, so there is nothing to take away.`)
  const files = [masterKeyFile(dataFolder), demoEnvFile(dataFolder)]
  if (!names.includes(basename(demoEnvFile(dataFolder))))
    throw new OperatorError(`${dataFolder} is not the folder of a demo: it has no demo.env. Nothing was removed.`)
  await removeEmbeddedPostgres(dataFolder)
  try {
    for (const file of files) {
      // With the drafts of those that were killed while they wrote it.
      const drafts = names.filter((name) => makerOf(name, file) !== null)
      for (const name of [...drafts, basename(file)]) await rm(join(dataFolder, name), { force: true })
    }
  } catch {
    throw new OperatorError(`${dataFolder} cannot be written. Start as the account that owns it.`)
  }
  // Somebody else's files stay, and with them the folder.
  await rmdir(dataFolder).catch(() => {})
  say(`The demo in ${dataFolder} is gone: its database, its key and demo.env. The next start begins anew.`)
}
