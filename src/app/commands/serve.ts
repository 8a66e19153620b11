import { type Command, options } from '../../platform/command.ts'
import { gatheredLines } from '../../platform/gathered-lines.ts'
import { createLog } from '../../platform/log.ts'
import { OperatorError } from '../../platform/operator-error.ts'
import type { Terminal } from '../../platform/terminal.ts'
import { isChild } from '../child.ts'
import { type Config, parseConfig } from '../config.ts'
import { showDemo } from '../demo/first-run/show-demo.ts'
import { startProcesses } from '../processes.ts'
import { type Role, serve } from '../serve.ts'
import { untilStopped } from './signals.ts'

export const serveCommand: Command = {
  help: `handover serve [--only web|worker]

Runs the service. With neither AUTH_URL nor DATABASE_URL set it runs in demo mode.
  --only web      answer requests, but leave background work to other processes
  --only worker   do background work and answer the probes, nothing else`,
  run: async (terminal, args) => {
    const role = roleFrom(options(args, 'only'))
    await runService(parseConfig(terminal.env), role, terminal)
  },
}

function roleFrom({ only }: Record<string, string | undefined>): Role {
  if (only === undefined) return 'all'
  if (only === 'web' || only === 'worker') return only
  throw new OperatorError('--only takes web or worker')
}

export async function runService(config: Config, role: Role, { print, warn }: Terminal): Promise<void> {
  const log = createLog(config.logLevel, gatheredLines(config.demo ? warn : print))
  const say = (line: string) => log.warn(line)
  const start = () => {
    if (config.demo) return showDemo(config, { role, log, say: print })
    if (config.webProcesses > 1 && role !== 'worker' && !isChild()) return startProcesses(config, { role, log, say })
    return serve(config, { role, log, say })
  }
  await untilStopped(start, log)
}
