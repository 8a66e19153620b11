import { type Command, options } from '../../platform/command.ts'
import { gatheredLines } from '../../platform/gathered-lines.ts'
import { createLog } from '../../platform/log.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { type Config, parseConfig } from '../config.ts'
import { startDemo } from '../demo/start-demo.ts'
import { type Role, type Running, serve } from '../serve.ts'
import { untilStopped } from './signals.ts'

export const serveCommand: Command = {
  help: `handover serve [--only web|worker]

Runs the service. With neither AUTH_URL nor DATABASE_URL set it runs in demo mode.
  --only web      answer requests, but leave background work to other processes
  --only worker   do background work and answer the probes, nothing else`,
  run: async (terminal, args) => {
    const role = roleFrom(options(args, 'only'))
    await run(parseConfig(terminal.env), role, terminal)
  },
}

export const demoCommand: Command = {
  help: `handover demo

Runs the service on this machine only, with seeded people, facilities and applications.
Their ids and secrets are written to data/demo.env.`,
  run: async (terminal, args) => {
    options(args)
    await run(parseConfig(terminal.env, 'demo'), 'all', terminal)
  },
}

function roleFrom({ only }: Record<string, string | undefined>): Role {
  if (only === undefined) return 'all'
  if (only === 'web' || only === 'worker') return only
  throw new OperatorError('--only takes web or worker')
}

async function run(config: Config, role: Role, { print, warn }: Terminal): Promise<void> {
  const log = createLog(config.logLevel, gatheredLines(config.demo ? warn : print))
  const start = (): Promise<Running> =>
    config.demo
      ? startDemo(config, { role, log, say: print })
      : serve(config, { role, log, say: (line) => log.warn(line) })
  await untilStopped(start, log)
}
