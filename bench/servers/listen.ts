import type { Server } from 'node:http'

/** A free loopback port. */
export async function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = 72_000
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port')
  return address.port
}

/** Tells the parent the port, then answers what it asks. */
export function answerMessages(port: number, answer: (message: unknown) => Promise<unknown>): void {
  process.send?.({ port })
  process.on('message', (message) => {
    void answer(message).then((reply) => process.send?.({ reply }))
  })
  process.on('disconnect', () => process.exit(0))
  process.on('SIGTERM', () => process.exit(0))
}
