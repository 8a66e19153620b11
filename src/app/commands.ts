import { createLog } from '../platform/log.ts'
import { migrate } from '../platform/migrate.ts'
import { type Config, parseConfig, parseStorageConfig } from './config.ts'
import { startDemo } from './demo/start-demo.ts'
import { type Role, type Running, serve } from './serve.ts'
import { untilStopped } from './signals.ts'
import { openStorageBeside, ourMigrations } from './storage.ts'
import type { Env } from './variables.ts'

/** Standard output is for what a person asked to see; in demo mode the log goes to standard error, beside it. */
export type Terminal = { env: Env; print: (text: string) => void; warn: (text: string) => void }

export async function serveCommand({ env, print, warn }: Terminal, role: Role): Promise<void> {
  const config = parseConfig(env)
  await run(config, role, { env, print, warn })
}

export async function demoCommand(terminal: Terminal): Promise<void> {
  await run(parseConfig(terminal.env, 'demo'), 'all', terminal)
}

export async function migrateCommand({ env, print, warn }: Terminal): Promise<void> {
  const config = parseStorageConfig(env)
  const { db, close } = await openStorageBeside(config, warn)
  try {
    const applied = await migrate(db, await ourMigrations())
    print(applied.length === 0 ? 'Nothing to migrate.' : `Migrated: ${applied.join(', ')}.`)
  } finally {
    await close()
  }
}

async function run(config: Config, role: Role, { print, warn }: Terminal): Promise<void> {
  const log = createLog(config.logLevel, { write: config.demo ? warn : print })
  const start = (): Promise<Running> =>
    config.demo
      ? startDemo(config, { role, log, say: print })
      : serve(config, { role, log, say: (line) => log.warn(line) })
  await untilStopped(start, log)
}
