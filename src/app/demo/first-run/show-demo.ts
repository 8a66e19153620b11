import { relative } from 'node:path'
import type { Config } from '../../config.ts'
import type { Running, ServeOptions } from '../../serve.ts'
import { demoEnvFile } from '../demo-env-file.ts'
import { seedPast } from '../past/seed-past.ts'
import { seedSupportRequests } from '../past/seed-requests.ts'
import { type RunningDemo, startDemo } from '../start-demo.ts'
import { banner, firstSteps } from './banner.ts'
import { sendFirstWebhook } from './first-webhook.ts'

/** The demo as a newcomer meets it: it says where everything is, shows a first webhook, and how to send the next. */
export async function showDemo(config: Config, options: Omit<ServeOptions, 'prepare'>): Promise<Running> {
  const started = performance.now()
  const demo = await startDemo(config, options)
  options.say(banner(demo.values, (performance.now() - started) / 1_000))
  // One half of the service alone has nobody to send or nobody to ask.
  if (options.role !== 'all') return demo
  await seedPages(demo)
  const first = await sendFirstWebhook(demo.values)
  options.say(firstSteps(demo.values, relative('', demoEnvFile(config.dataFolder)), first))
  return demo
}

/** A demo with empty pages is still a demo. */
async function seedPages({ deps, values }: RunningDemo): Promise<void> {
  try {
    await seedPast(deps, values)
    await seedSupportRequests(deps, values)
  } catch (error) {
    deps.log.warn({ err: error }, 'the past of the demo could not be made up')
  }
}
