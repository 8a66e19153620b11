import type { Config } from '../config.ts'
import { claimPort } from '../listener.ts'
import { type Running, type ServeOptions, serve } from '../serve.ts'
import { clientDoor } from './client/client-door.ts'
import { writeDemoEnv } from './demo-env-file.ts'
import { type DemoValues, demoValues } from './demo-values.ts'
import { answerAsReceiver, receiverUrl } from './receiver/receiver.ts'
import { seedDemo } from './seed.ts'

const RECEIVER_PATIENCE_MS = 100

export type RunningDemo = Running & { values: DemoValues }

/** The service for somebody's first look: seeded, on loopback, and with everything they need written down (decision A4). */
export async function startDemo(config: Config, options: Omit<ServeOptions, 'prepare'>): Promise<RunningDemo> {
  // Like the other ports: claimed before any data is touched.
  const receiver = await claimPort(config.host, config.receiverPort, 'RECEIVER_PORT')
  try {
    const running = await serve(config, {
      ...options,
      prepare: async (deps, addresses) => {
        const values = demoValues(deps.cipher, addresses, receiverUrl(receiver), config)
        await seedDemo(deps, values)
        await writeDemoEnv(config.dataFolder, values)
        await answerAsReceiver(receiver, deps)
        return [clientDoor(values)]
      },
    })
    return {
      ...running,
      values: demoValues(running.deps.cipher, running.addresses, receiverUrl(receiver), config),
      stop: async () => {
        // Last, because what is being sent to it as we stop is still to arrive.
        await running.stop()
        await receiver.close(RECEIVER_PATIENCE_MS)
      },
    }
  } catch (error) {
    await receiver.close(0)
    throw error
  }
}
