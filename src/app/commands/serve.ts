import { gatheredLines } from '../../platform/gathered-lines.ts'
import { createLog } from '../../platform/log.ts'
import { type Config, parseConfig } from '../config.ts'
import { startDemo } from '../demo/start-demo.ts'
import { type Role, type Running, serve } from '../serve.ts'
import { untilStopped } from './signals.ts'
import type { Terminal } from './terminal.ts'

export async function serveCommand(terminal: Terminal, role: Role): Promise<void> {
  await run(parseConfig(terminal.env), role, terminal)
}

export async function demoCommand(terminal: Terminal): Promise<void> {
  await run(parseConfig(terminal.env, 'demo'), 'all', terminal)
}

async function run(config: Config, role: Role, { print, warn }: Terminal): Promise<void> {
  const log = createLog(config.logLevel, gatheredLines(config.demo ? warn : print))
  const start = (): Promise<Running> =>
    config.demo
      ? startDemo(config, { role, log, say: print })
      : serve(config, { role, log, say: (line) => log.warn(line) })
  await untilStopped(start, log)
}
