import { relative } from 'node:path'
import type { Config } from '../config.ts'
import { type Running, type ServeOptions, serve } from '../serve.ts'
import { banner } from './banner.ts'
import { writeDemoEnv } from './demo-env-file.ts'
import { type DemoValues, demoValues } from './demo-values.ts'
import { seedDemo } from './seed.ts'

/** The service as a newcomer meets it: seeded, on loopback, and with everything they need written down (decision A4). */
export async function startDemo(config: Config, options: Omit<ServeOptions, 'prepare'>): Promise<Running> {
  const started = performance.now()
  let values: DemoValues | undefined
  let demoEnv = ''
  const running = await serve(config, {
    ...options,
    prepare: async (deps, addresses) => {
      values = demoValues(deps.cipher, addresses, config)
      await seedDemo(deps, values)
      demoEnv = await writeDemoEnv(config.dataFolder, values)
    },
  })
  const seconds = (performance.now() - started) / 1_000
  if (values) options.say(banner(values, relative('', demoEnv), seconds))
  return running
}
