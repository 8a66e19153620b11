import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that is free now, and still is when it is taken or taken again: it lies below those that systems give to whoever
 * asks for any, which the other tests do all the time.
 */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
