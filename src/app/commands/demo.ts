import { type Command, flags } from '../../platform/command.ts'
import { parseConfig } from '../config.ts'
import { resetDemo } from '../demo/reset-demo.ts'

export const demoCommand: Command = {
  help: `handover demo [--reset]

Runs the service on this machine only, with seeded people, facilities and applications.
Their ids and secrets are written to data/demo.env.
  --reset         take the demo's data away instead; the next start begins anew`,
  run: async (terminal, args) => {
    const { reset = false } = flags(args, 'reset')
    const config = parseConfig(terminal.env, 'demo')
    if (reset) return resetDemo(config, terminal.print)
    // Loaded when it is to run: taking data away does not wait for a web server to load.
    const { runService } = await import('./serve.ts')
    return runService(config, 'all', terminal)
  },
}
