import { once } from 'node:events'
import type { Server } from 'node:net'

/** Lets a server of any kind listen on loopback, at a port of the system's choice. Answers the port. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port')
  return address.port
}
